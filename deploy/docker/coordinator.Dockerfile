# The coordinator and the command line. Built from the root of the tree:
#   docker build -f deploy/docker/coordinator.Dockerfile -t muster-coordinator .
FROM debian:12-slim AS build
WORKDIR /src
COPY . .
RUN ./dev setup
RUN cmake --preset release && cmake --build --preset release --target muster-coordinator muster-cli

FROM debian:12-slim
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends \
       libcpp-httplib0.11 libgrpc++1.51 libspdlog1.10 libyaml-cpp0.7 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/release/bin/muster-coordinator /src/build/release/bin/muster /usr/local/bin/
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/muster-coordinator"]

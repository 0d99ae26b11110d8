# The supervisor of workers, with the demo as what it runs. A job's own image has its program in
# place of demo_worker. Built from the root of the tree:
#   docker build -f deploy/docker/worker.Dockerfile -t muster-worker .
FROM debian:12-slim AS build
WORKDIR /src
COPY . .
RUN ./dev setup
RUN cmake --preset release && cmake --build --preset release --target muster-worker demo_worker

FROM debian:12-slim
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends \
       libcpp-httplib0.11 libgloo0 libgrpc++1.51 libspdlog1.10 libyaml-cpp0.7 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/release/bin/muster-worker /src/build/release/bin/demo_worker /usr/local/bin/
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/muster-worker"]
CMD ["exec", "--", "/usr/local/bin/demo_worker"]

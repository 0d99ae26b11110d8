# Finds what the product is built with. CUDA, NCCL and the headers of Python may be missing; they
# widen what is built, and MUSTER_HAVE_CUDA, MUSTER_HAVE_NCCL and MUSTER_HAVE_PYTHON say whether
# they are there. Everything else is required.

find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Protobuf REQUIRED)  # In module mode, and before gRPC: its own config does not add up.
find_package(gRPC CONFIG REQUIRED)
find_package(GTest CONFIG REQUIRED)
find_package(benchmark CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(Gloo CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)

set(MUSTER_HAVE_CUDA OFF)
set(MUSTER_HAVE_NCCL OFF)
set(MUSTER_HAVE_PYTHON OFF)

find_package(CUDAToolkit QUIET)
if(CUDAToolkit_FOUND)
  set(MUSTER_HAVE_CUDA ON)
endif()

find_path(MUSTER_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_library(MUSTER_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
mark_as_advanced(MUSTER_NCCL_INCLUDE_DIR MUSTER_NCCL_LIBRARY)
if(MUSTER_HAVE_CUDA AND MUSTER_NCCL_INCLUDE_DIR AND MUSTER_NCCL_LIBRARY)
  set(MUSTER_HAVE_NCCL ON)
  file(STRINGS ${MUSTER_NCCL_INCLUDE_DIR}/nccl.h nccl_version_lines
       REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" nccl_version_numbers "${nccl_version_lines}")
  list(JOIN nccl_version_numbers "." MUSTER_NCCL_VERSION)
endif()

# A Python earlier on PATH than Debian's own often lacks the packages the bindings need.
if(EXISTS /usr/bin/python3 AND NOT DEFINED Python_EXECUTABLE)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
if(Python_Development.Module_FOUND)
  set(MUSTER_HAVE_PYTHON ON)
endif()

find_program(MUSTER_CCACHE ccache)
mark_as_advanced(MUSTER_CCACHE)
if(MUSTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MUSTER_CCACHE})
endif()

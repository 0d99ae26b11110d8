# The functions that declare targets, and the compiler options they share.

if(MUSTER_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(MUSTER_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(MUSTER_SANITIZE)
  message(FATAL_ERROR "MUSTER_SANITIZE is '${MUSTER_SANITIZE}', want nothing, address or thread")
endif()

# Gives `target` what all code of the project is compiled with. Generated code is declared without
# it: it need not be free of warnings, and UBSan makes it slow to build. A designated initializer
# may leave fields at their defaults, which g++ would warn of.
function(muster_compile_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wshadow -Wconversion -Werror -Wno-missing-field-initializers
    $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
  if(MUSTER_SANITIZE STREQUAL "address")
    target_compile_options(${target} PRIVATE
      -fsanitize=undefined -fno-sanitize-recover=undefined)
  endif()
  if(MUSTER_TEST_FAULTS)
    target_compile_definitions(${target} PRIVATE MUSTER_TEST_FAULTS=1)
  endif()
endfunction()

# Stops the configure step if a function was given words that it does not know.
macro(muster_refuse_unparsed what)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${what} ${arg_NAME}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_NAME)
    message(FATAL_ERROR "${what}: NAME is missing")
  endif()
endmacro()

# Puts `target` into `layer` and remembers it for muster_check_targets().
function(muster_set_layer target layer)
  if(NOT DEFINED MUSTER_LAYER_${layer})
    message(FATAL_ERROR "${target} names layer '${layer}', which the layer table in the root "
                        "CMakeLists.txt does not have")
  endif()
  set_target_properties(${target} PROPERTIES MUSTER_LAYER ${layer})
  set_property(GLOBAL APPEND PROPERTY MUSTER_TARGETS ${target})
endfunction()

# muster_library(NAME <name> LAYER <layer> HDRS <...> [SRCS <...>] [DEPS <...>])
#
# One small library per concept. Without SRCS it is header-only. DEPS are public.
function(muster_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LAYER" "HDRS;SRCS;DEPS")
  muster_refuse_unparsed(muster_library)
  if(arg_SRCS)
    add_library(${arg_NAME} STATIC ${arg_SRCS} ${arg_HDRS})
    muster_compile_options(${arg_NAME})
    target_include_directories(${arg_NAME} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${arg_NAME} PUBLIC ${arg_DEPS})
  else()
    add_library(${arg_NAME} INTERFACE ${arg_HDRS})
    target_include_directories(${arg_NAME} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${arg_NAME} INTERFACE ${arg_DEPS})
  endif()
  set_target_properties(${arg_NAME} PROPERTIES MUSTER_DEPS "${arg_DEPS}")
  muster_set_layer(${arg_NAME} "${arg_LAYER}")
endfunction()

# muster_binary(NAME <name> LAYER <layer> SRCS <...> [DEPS <...>])
#
# A program. It is built into the build folder at the place its source folder has in the tree.
function(muster_binary)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LAYER" "SRCS;DEPS")
  muster_refuse_unparsed(muster_binary)
  add_executable(${arg_NAME} ${arg_SRCS})
  muster_compile_options(${arg_NAME})
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS})
  set_target_properties(${arg_NAME} PROPERTIES MUSTER_DEPS "${arg_DEPS}")
  muster_set_layer(${arg_NAME} "${arg_LAYER}")
endfunction()

# muster_test(NAME <name> SRCS <...> [DEPS <...>] [LABELS <...>] [ARGS <...>] [TIMEOUT <seconds>])
#
# A GoogleTest program with gtest_main, run by ctest from the root of the tree as one test of the
# same name. TIMEOUT is 60 s unless given. Label `no_tsan` keeps a test out of the preset tsan: one
# that runs gRPC, which is packaged without what that tool needs, or says why it is out.
function(muster_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SRCS;DEPS;LABELS;ARGS")
  muster_refuse_unparsed(muster_test)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(${arg_NAME} ${arg_SRCS})
  muster_compile_options(${arg_NAME})
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main)
  set_target_properties(${arg_NAME} PROPERTIES MUSTER_DEPS "${arg_DEPS}")
  muster_set_layer(${arg_NAME} tests)
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_ARGS}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()

# Adds each folder, given relative to the calling one, that has a CMakeLists.txt.
function(muster_add_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

# Holds every target declared above to the layer table. Called once, after all folders were added,
# so that the order of folders hides no dependency.
function(muster_check_targets)
  get_property(targets GLOBAL PROPERTY MUSTER_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(layer ${target} MUSTER_LAYER)
    get_target_property(deps ${target} MUSTER_DEPS)
    set(allowed ${layer} ${MUSTER_LAYER_${layer}})
    foreach(dep IN LISTS deps)
      if(TARGET ${dep})
        get_target_property(dep_layer ${dep} MUSTER_LAYER)
        if(dep_layer AND NOT dep_layer IN_LIST allowed)
          message(FATAL_ERROR "${target} is in layer '${layer}' and may not depend on ${dep} "
                              "(layer '${dep_layer}')")
        endif()
      elseif(dep MATCHES "^muster_")
        message(FATAL_ERROR "${target} depends on ${dep}, which no folder declares")
      endif()
    endforeach()
  endforeach()
endfunction()

# Says what this build has and what it leaves out.
function(muster_print_summary)
  if(MUSTER_HAVE_CUDA)
    message(STATUS "muster: CUDA ${CUDAToolkit_VERSION} found")
  else()
    message(STATUS "muster: CUDA not found: device path left out")
  endif()
  if(MUSTER_HAVE_NCCL)
    message(STATUS "muster: NCCL ${MUSTER_NCCL_VERSION} found")
  else()
    message(STATUS "muster: NCCL not found: nccl backend left out")
  endif()
  if(MUSTER_HAVE_PYTHON)
    message(STATUS "muster: Python ${Python_VERSION} found")
  else()
    message(STATUS "muster: Python headers not found: Python bindings left out")
  endif()
  message(STATUS "muster: build type '${CMAKE_BUILD_TYPE}', sanitizers '${MUSTER_SANITIZE}', "
                 "fault points ${MUSTER_TEST_FAULTS}")
endfunction()

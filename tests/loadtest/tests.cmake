# SPDX-License-Identifier: MIT
# Tests of the scripts in loadtest/. loadtest_peers is skipped if no server is installed.
if(is_shipped_build)
  add_test(NAME loadtest_responses COMMAND loadtest/responses_test.py)
  add_test(NAME loadtest_report COMMAND loadtest/report_test.py)
  volt_test_both(loadtest_peers loadtest/peers_test.py ${PROJECT_BINARY_DIR}/bin)
  volt_test_both(loadtest_heavy loadtest/heavy_test.py ${PROJECT_BINARY_DIR}/bin)
  set_tests_properties(loadtest_responses loadtest_report loadtest_peers_uring loadtest_peers_epoll
                       loadtest_heavy_uring loadtest_heavy_epoll PROPERTIES
                       WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} SKIP_RETURN_CODE 77)
endif()

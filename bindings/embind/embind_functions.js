// Emscripten's JavaScript library without Embind's converters of std::string and std::wstring: none crosses the border.
/* global mergeInto, LibraryManager */
mergeInto(LibraryManager.library, {
  _embind_register_std_string__deps: [],
  _embind_register_std_string: function () {},
  _embind_register_std_wstring__deps: [],
  _embind_register_std_wstring: function () {},
});

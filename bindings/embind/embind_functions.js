// The half of Embind that is JavaScript, for functions of numbers alone: texts, files and tensors are addresses in the
// module's memory, so no type wants a converter.
/* global mergeInto, LibraryManager, HEAPU8, Module, wasmTable */
mergeInto(LibraryManager.library, {
  _embind_register_function__postset: 'Module["heap"] = function () { return HEAPU8; };',
  _embind_register_function: function (name, argCount, types, signature, invoker, target) {
    let text = "";
    for (; HEAPU8[name]; ++name) text += String.fromCharCode(HEAPU8[name]);
    Module[text] = wasmTable.get(invoker).bind(null, target);
  },

  // What an operator tells of its progress; answers whether to go on.
  sqrtdk_report: function (number) {
    return Module["report"](number);
  },
});

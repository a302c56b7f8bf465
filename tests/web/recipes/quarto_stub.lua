-- As much of Pandoc and Quarto as the shortcode uses. usage: lua5.4 quarto_stub.lua EXTENSION FORMAT SITE LANG EXPERIMENT [NAME=TEXT]...
-- Prints what the shortcode gives and what it asked for, one thing a line.
local folder, format, site, lang, experiment = table.unpack(arg, 1, 5)
local asked = {}

local function element(name)
  return function(...) return { t = name, ... } end
end

pandoc = {
  utils = {
    stringify = function(value)
      if type(value) == "string" then return value end
      assert(type(value) == "table" and value.inlines, "stringify of something that is no text")
      return value.inlines
    end,
  },
  RawBlock = element("RawBlock"),
  Para = element("Para"),
  Image = element("Image"),
  Link = element("Link"),
  Str = element("Str"),
}

quarto = {
  doc = {
    is_format = function(name)
      assert(name == "html:js", "asked for the format " .. name)
      return format == "html"
    end,
    add_html_dependency = function(dependency) table.insert(asked, dependency) end,
  },
  utils = { resolve_path = function(path) return folder .. "/" .. path end },
}

-- Quarto gives texts as inlines, and empty ones for names that are not there.
local function inlines(text) return { inlines = text } end
local kwargs = setmetatable({}, { __index = function() return inlines("") end })
for index = 6, #arg do
  local name, text = arg[index]:match("^([%w_]+)=(.*)$")
  kwargs[name] = inlines(text)
end
local meta = { lang = lang ~= "" and inlines(lang) or nil, sqrtdk = site ~= "" and { site = inlines(site) } or nil }

local function show(value, indent)
  if type(value) ~= "table" then
    print(indent .. tostring(value))
    return
  end
  if value.t then print(indent .. value.t) end
  for _, part in ipairs(value) do show(part, indent .. "  ") end
end

local shortcodes = dofile(folder .. "/sqrtdk.lua")
local args = experiment ~= "" and { inlines(experiment) } or {}
show(shortcodes["sqrtdk"](args, kwargs, meta), "")
for _, dependency in ipairs(asked) do
  local script = dependency.scripts[1]
  print(("dependency %s %s %s type=%s"):format(dependency.name, dependency.version, script.path, script.attribs.type))
end

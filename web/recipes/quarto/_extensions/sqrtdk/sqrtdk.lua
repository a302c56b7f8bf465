-- {{< sqrtdk score_variance d="32,128" >}}: a live figure in HTML; in PDF, Word and all else its picture and a link to it.
-- Every parameter of the experiment may be given; beside them stand `lang`, `controls`, `charts`, `caption`, and
--   picture  a file for formats without scripts: what the figure saves as SVG or PNG
-- The document's metadata `sqrtdk: {site: https://…/}` says where links lead; without it there are none.

-- Of the attributes those that are no parameters of an experiment.
local look = { lang = true, controls = true, charts = true, lines = true, caption = true }

local function text(value)
  return value ~= nil and pandoc.utils.stringify(value) or ""
end

-- The names that are given, in an order that is the same in every rendering.
local function names(kwargs)
  local given = {}
  for name in pairs(kwargs) do
    if name ~= "picture" and text(kwargs[name]) ~= "" then table.insert(given, name) end
  end
  table.sort(given)
  return given
end

local function settings(kwargs)
  local given = {}
  for _, name in ipairs(names(kwargs)) do
    if not look[name] then table.insert(given, name) end
  end
  return given
end

local function language(kwargs, meta)
  local lang = text(kwargs.lang)
  if lang == "" then lang = text(meta.lang) end
  return lang:match("^zh") and "zh" or "en"
end

local function escaped(value)
  return (value:gsub('[&<>"]', { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

local function encoded(value)
  return (value:gsub("[^%w%-_.~]", function(character) return ("%%%02X"):format(character:byte()) end))
end

local function tag(id, kwargs)
  local element = id == "training_race" and "sqrtdk-race" or "sqrtdk-figure"
  local parts = { element }
  if element == "sqrtdk-figure" then table.insert(parts, ('experiment="%s"'):format(id)) end
  for _, name in ipairs(names(kwargs)) do
    table.insert(parts, ('%s="%s"'):format(name, escaped(text(kwargs[name]))))
  end
  return ("<%s></%s>"):format(table.concat(parts, " "), element)
end

-- The figure's page with these settings; nil where the document names no site.
local function link(id, kwargs, meta)
  local site = text(meta.sqrtdk and meta.sqrtdk.site):gsub("/*$", "")
  if site == "" then return nil end
  local hash = { "#" .. id }
  for _, name in ipairs(settings(kwargs)) do
    table.insert(hash, ("%s.%s=%s"):format(id, name, encoded(text(kwargs[name]))))
  end
  local state = #hash > 1 and table.concat(hash, "&") or ""
  return ("%s/%s/lab/%s/%s"):format(site, language(kwargs, meta), id, state)
end

-- The shipped pictures show the defaults, so they stand only for a figure without settings of its own.
local function picture(id, kwargs, meta)
  if text(kwargs.picture) ~= "" then return text(kwargs.picture) end
  if #settings(kwargs) > 0 then return nil end
  local file = quarto.utils.resolve_path(("pictures/%s-%s.svg"):format(id, language(kwargs, meta)))
  local opened = io.open(file)
  if not opened then return nil end
  opened:close()
  return file
end

local function still(id, kwargs, meta)
  local caption = text(kwargs.caption)
  local name = pandoc.Str(caption ~= "" and caption or (id:gsub("_", " ")))
  local address, file = link(id, kwargs, meta), picture(id, kwargs, meta)
  local blocks = { pandoc.Para({ address and pandoc.Link({ name }, address) or name }) }
  if file then table.insert(blocks, 1, pandoc.Para({ pandoc.Image({ name }, file) })) end
  return blocks
end

return {
  ["sqrtdk"] = function(args, kwargs, meta)
    local id = text(args[1])
    if not id:match("^[a-z][a-z0-9_]*$") then
      error("sqrtdk: expected an experiment, as in {{< sqrtdk score_variance >}}, got \"" .. id .. "\"")
    end
    if not quarto.doc.is_format("html:js") then return still(id, kwargs, meta) end
    quarto.doc.add_html_dependency({
      name = "sqrtdk",
      version = "1.0.0",
      scripts = { { path = "sqrtdk.auto.all.js", attribs = { type = "module" } } },
    })
    return pandoc.RawBlock("html", tag(id, kwargs))
  end,
}

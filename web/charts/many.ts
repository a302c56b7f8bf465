// So many heat maps stand closer together, in a grid of their own: of one name, or of several.
export const manyOfOneName = 4;
export const manyMaps = 7;

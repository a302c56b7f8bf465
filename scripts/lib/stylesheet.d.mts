/** The file's rules with its imports in their places, minified. */
export function stylesheet(path: string): string;

/** Whether a part of `root` that matches is in the window. */
export function isSeen(root: ParentNode, selector: string): boolean {
  return [...root.querySelectorAll(selector)].some((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });
}

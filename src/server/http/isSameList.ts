/** Objects are immutable: equal objects are identical. */
export const isSameList = (a: ReadonlyArray<object>, b: ReadonlyArray<object>): boolean =>
  a.length === b.length && a.every((object, index) => object === b[index])

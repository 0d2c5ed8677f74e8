/** Whether two lists have the same objects in the same order. Objects are immutable: equal ones are one object. */
export const isSameList = (a: ReadonlyArray<object>, b: ReadonlyArray<object>): boolean =>
  a.length === b.length && a.every((object, index) => object === b[index])

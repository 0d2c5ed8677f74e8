/**
 * Freezes a value deeply. A part that is frozen already counts as deeply frozen: of a new version that shares most of
 * its parts with the old one, only the new parts are visited.
 */
export const deepFreeze = <A>(value: A): A => {
  if (isFreezable(value)) freeze(value)
  return value
}

const isFreezable = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Object.isFrozen(value)

/** `Object.values` is several times faster here than `for in`; every version of every stored object is frozen. */
const freeze = (value: object): void => {
  for (const child of Object.values(value)) if (isFreezable(child)) freeze(child)
  Object.freeze(value)
}

/**
 * Freezes a caller's value deeply, so that the user cannot change what is stored. Its frozen parts may
 * hold unfrozen ones, so every part is visited.
 */
export const deepFreezeCallersValue = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  for (const child of Object.values(value)) deepFreezeCallersValue(child)
  return Object.isFrozen(value) ? value : Object.freeze(value)
}

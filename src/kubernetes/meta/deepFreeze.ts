/**
 * Freezes a value deeply. Frozen parts are taken to be deeply frozen, so that a new version that shares most of the
 * old one costs only what is new.
 */
export const deepFreeze = <A>(value: A): A => {
  if (isFreezable(value)) freeze(value)
  return value
}

const isFreezable = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Object.isFrozen(value)

/** `Object.values` is several times faster here than `for in`, and every version of every object passes. */
const freeze = (value: object): void => {
  for (const child of Object.values(value)) if (isFreezable(child)) freeze(child)
  Object.freeze(value)
}

/**
 * Freezes a value from outside deeply. Its frozen parts may hold unfrozen ones, so every part is visited: the
 * caller must not be able to change what is stored.
 */
export const deepFreezeUntrusted = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  for (const child of Object.values(value)) deepFreezeUntrusted(child)
  return Object.isFrozen(value) ? value : Object.freeze(value)
}

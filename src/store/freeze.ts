/**
 * Freezes a value to its leaves. What is frozen already is taken to be so all the way down, so that a new version
 * that shares most of the old one costs only what is new.
 */
export const deepFreeze = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const key in value) deepFreeze(value[key])
  return Object.freeze(value)
}

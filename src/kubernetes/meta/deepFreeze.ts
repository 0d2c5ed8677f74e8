import type { Fields } from "./fields.ts"

/** A frozen part counts as deeply frozen, so only the new parts of a new version are visited. */
export const deepFreeze = <A>(value: A): A => {
  if (isFreezable(value)) freeze(value)
  return value
}

const isFreezable = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Object.isFrozen(value)

/** `for in` allocates no list of keys, but is slow on arrays. */
const freeze = (value: object): void => {
  if (Array.isArray(value)) for (const child of value) freezeChild(child)
  else for (const field in value) freezeChild((value as Fields)[field])
  Object.freeze(value)
}

const freezeChild = (child: unknown): void => {
  if (isFreezable(child)) freeze(child)
}

/** A caller's frozen parts may hold unfrozen ones, so every part is visited. */
export const deepFreezeEveryPart = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  for (const child of Object.values(value)) deepFreezeEveryPart(child)
  return Object.isFrozen(value) ? value : Object.freeze(value)
}

/** The value itself, frozen all the way down. It must not hold itself. */
export const frozen = <Value extends object>(value: Value): Value => {
  for (const part of Object.values(value)) {
    if (typeof part === "object" && part !== null) frozen(part)
  }
  return Object.freeze(value)
}

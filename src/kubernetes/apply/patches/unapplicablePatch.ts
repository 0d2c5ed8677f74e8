/** A patch that cannot be applied, or whose result is no valid object of its kind. */
export class UnapplicablePatch extends Error {
  override readonly name = "UnapplicablePatch"
}

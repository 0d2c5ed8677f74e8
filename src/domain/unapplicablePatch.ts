/** A patch that cannot be applied, or that leaves no object of its kind behind. */
export class UnapplicablePatch extends Error {
  override readonly name = "UnapplicablePatch"
}

/** How an object is, and why it is not as it should be. */
export interface Explained {
  readonly state: string
  /** Whether there is nothing to wait for, and nothing the matter. */
  readonly isWell: boolean
  /** The first says how it is, the others why. */
  readonly sentences: ReadonlyArray<string>
  readonly numbers: Readonly<Record<string, number>>
}

export interface Explained {
  readonly state: string
  /** Whether nothing is pending or wrong. */
  readonly isWell: boolean
  /** The first sentence tells the state, the others the reasons. */
  readonly sentences: ReadonlyArray<string>
  readonly numbers: Readonly<Record<string, number>>
}

/** The outcome of an action, shown below the header. */
export interface StatusMessage {
  readonly text: string
  readonly refused: boolean
}

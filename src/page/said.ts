/** What came of something that was asked for. */
export interface Said {
  readonly text: string
  readonly refused: boolean
}

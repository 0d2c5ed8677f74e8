export interface StatusMessage {
  readonly text: string
  readonly refused: boolean
}

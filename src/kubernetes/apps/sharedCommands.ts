/** Asks for another look now; emitted by a chart at the end of a delay that it waited for. */
export interface LookAgain {
  readonly type: "lookAgain"
}

/** The uid tells the object from a later one of the same name. */
export interface ObjectIdentity {
  readonly name: string
  readonly uid: string
}

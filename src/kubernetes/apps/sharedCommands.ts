import type { KubeObject } from "../meta/objects.ts"

/** Asks for another look, at the end of a delay. */
export interface LookAgain {
  readonly type: "lookAgain"
}

/** The uid tells the object from a later one of the same name. */
export interface ObjectIdentity {
  readonly name: string
  readonly uid: string
}

export const identityOf = ({ metadata: { name, uid } }: KubeObject): ObjectIdentity => ({ name, uid })

export interface RecordEvent {
  readonly type: "recordEvent"
  readonly eventType: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
  /** For an Event about one container: `spec.containers{app}`. */
  readonly fieldPath?: string
}

export const recordEvent = (
  eventType: RecordEvent["eventType"],
  reason: string,
  message: string
): RecordEvent => ({ type: "recordEvent", eventType, reason, message })

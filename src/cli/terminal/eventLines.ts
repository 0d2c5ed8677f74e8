import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { Palette } from "./palette.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

export const logLine = (
  entry: {
    readonly atMillis: number
    readonly subject: string
    readonly reason: string
    readonly message: string
    readonly mood?: "good" | "bad"
  },
  palette: Palette
): string => {
  const { atMillis, subject, reason, message, mood } = entry
  const paint = mood === undefined ? (text: string) => text : palette[mood]
  return [
    palette.dim(`+${(atMillis / 1000).toFixed(3)}s`.padStart(timeWidth)),
    escapeControls(subject).padEnd(subjectWidth),
    paint(escapeControls(reason).padEnd(reasonWidth)),
    escapeControls(message)
  ].join("  ")
}

const timeWidth = "+9999.999s".length
const subjectWidth = "ReplicaSet/web-789f874bdb".length
const reasonWidth = "ScalingReplicaSet".length

export const eventLine = (event: NormalizedEvent, atMillis: number, palette: Palette): string => {
  const { involvedObject, reason, message, count, type, kind, metadata } = event
  // An Event without an involved object is shown by its own name.
  const hasNoInvolvedObject = involvedObject.kind === undefined && involvedObject.name === undefined
  return logLine(
    {
      atMillis,
      subject: kindAndNameOf(hasNoInvolvedObject ? { ...metadata, kind } : involvedObject),
      reason,
      message: count > 1 ? `${message} (x${count})` : message,
      ...(type === "Warning" ? ({ mood: "bad" } as const) : {})
    },
    palette
  )
}

/** `Deployment/web`, or `Deployment/shop/web` outside the default namespace. */
export const kindAndNameOf = (object: {
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
}): string => {
  const { kind = "", namespace, name = "" } = object
  return `${kind}/${displayName({ namespace, name })}`
}

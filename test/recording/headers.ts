import type { RecordingHeader } from "../../src/recording/entry.ts"

/** The first entry of a recording of nothing that was there before, but for what is given. */
export const aHeader = (given: Partial<RecordingHeader> = {}): RecordingHeader => ({
  type: "header",
  apiVersion: "charthouse.dev/v1",
  kind: "Recording",
  version: "0.1.0",
  id: "one",
  title: "",
  seed: 1,
  number: 0,
  atMillis: 0,
  charts: {},
  ...given
})

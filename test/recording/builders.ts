import type { Step } from "../../src/explain/steps/step.ts"
import type { RecordingHeader } from "../../src/recording/entry.ts"

/** A step of Pod `a` without effects. */
export const aStep = (overrides: Partial<Step> = {}): Step => ({
  number: 1,
  atMillis: 0,
  uid: "uid-a",
  kind: "Pod",
  namespace: "default",
  name: "a",
  chart: "pod",
  event: "observed",
  from: [],
  to: [],
  taken: [],
  guards: [],
  numbers: [],
  commands: [],
  writes: [],
  events: [],
  ...overrides
})

/** The header of a recording without initial objects. */
export const aHeader = (overrides: Partial<RecordingHeader> = {}): RecordingHeader => ({
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
  ...overrides
})

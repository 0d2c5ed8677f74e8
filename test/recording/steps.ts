import type { Step } from "../../src/explain/steps/step.ts"

/** A step of Pod `a` in which nothing happened, but for what is given. */
export const aStep = (given: Partial<Step> = {}): Step => ({
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
  ...given
})

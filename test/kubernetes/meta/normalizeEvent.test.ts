import { expect, it } from "vitest"
import { normalizeEvent } from "../../../src/kubernetes/meta/normalizeEvent.ts"
import { aTime } from "../../builders.ts"
import type { EventObject } from "../../../src/kubernetes/meta/objects.ts"

const metadata = {
  name: "web.1",
  namespace: "shop",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: aTime(9)
}
const anEvent = (fields: object): EventObject =>
  ({ apiVersion: "v1", kind: "Event", metadata, ...fields }) as EventObject
const allFields = {
  involvedObject: { kind: "Pod", name: "web" },
  reason: "Unhealthy",
  message: "probe failed",
  type: "Warning",
  source: { component: "kubelet" },
  firstTimestamp: aTime(1),
  lastTimestamp: aTime(2),
  count: 3
}
const created = { firstTimestamp: aTime(9), lastTimestamp: aTime(9) }

it("a complete Event is returned as it is", () => {
  const event = anEvent(allFields)
  expect(normalizeEvent(event)).toBe(event)
})

it.each([
  {
    why: "an Event without fields happened once, when it was created",
    fields: {},
    complete: { involvedObject: {}, reason: "", message: "", type: "", source: {}, ...created, count: 1 }
  },
  {
    why: "null counts as missing",
    fields: { ...allFields, lastTimestamp: null, count: null },
    complete: { ...allFields, lastTimestamp: aTime(1), count: 1 }
  },
  {
    why: "an Event of events.k8s.io happened at its event time",
    fields: {
      ...allFields,
      eventTime: aTime(4),
      firstTimestamp: undefined,
      lastTimestamp: undefined,
      count: undefined
    },
    complete: { ...allFields, firstTimestamp: aTime(4), lastTimestamp: aTime(4), count: 1 }
  },
  {
    why: "a series tells the count and the last time",
    fields: { ...allFields, series: { count: 7, lastObservedTime: aTime(5) } },
    complete: { ...allFields, lastTimestamp: aTime(5), count: 7 }
  },
  {
    why: "a series without them leaves those of the Event",
    fields: { ...allFields, series: {} },
    complete: allFields
  },
  {
    why: "what is there stays",
    fields: { ...allFields, type: undefined },
    complete: { ...allFields, type: "" }
  }
])("$why", ({ fields, complete }) => {
  expect(normalizeEvent(anEvent(fields))).toMatchObject(complete)
})

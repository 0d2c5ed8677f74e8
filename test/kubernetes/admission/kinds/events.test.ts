import { describe } from "vitest"
import { aDraft, refusesNew } from "./kindErrors.ts"

const anEvent = aDraft("Event", "web.1", { involvedObject: { kind: "Pod", namespace: "shop", name: "web" } })
const elsewhere = (namespace: string) =>
  `involvedObject.namespace: Invalid value: "${namespace}": does not match event.namespace`

describe("a new Event", () => {
  refusesNew(anEvent, [
    { why: "is in its object's namespace", edits: [], errors: [] },
    {
      why: "is not in another one",
      edits: [["involvedObject.namespace", "bank"]],
      errors: [elsewhere("bank")]
    },
    {
      why: "about an object without namespace is in `default`",
      edits: [
        ["metadata.namespace", "default"],
        ["involvedObject", { kind: "Node", name: "node-1" }]
      ],
      errors: []
    },
    {
      why: "about an object without namespace is in no other",
      edits: [["involvedObject", { kind: "Node", name: "node-1" }]],
      errors: [elsewhere("")]
    },
    {
      why: "with a time may be in another namespace than its object",
      edits: [
        ["involvedObject.namespace", "bank"],
        ["eventTime", "2026-01-01T00:00:00.000000Z"]
      ],
      errors: []
    },
    {
      why: "with a time, about an object without namespace, may be in `kube-system`",
      edits: [
        ["metadata.namespace", "kube-system"],
        ["involvedObject", { kind: "Node", name: "node-1" }],
        ["eventTime", "2026-01-01T00:00:00.000000Z"]
      ],
      errors: []
    }
  ])
})

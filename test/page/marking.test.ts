import { describe, expect, it } from "vitest"
import { kubeletAnnotation } from "../../src/kubernetes/core/nodeStatus.ts"
import { makeFaultLog } from "../../src/page/history/faultLog.ts"
import type { FaultEntry, ObjectEntry } from "../../src/recording/entry.ts"

const node = (
  number: number,
  name: string,
  kubelet?: string,
  change: ObjectEntry["change"] = "MODIFIED"
) => ({
  type: "object" as const,
  change,
  number,
  atMillis: number * 100,
  resource: "nodes",
  object: {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(kubelet === undefined ? {} : { annotations: { [kubeletAnnotation]: kubelet } })
    }
  }
})

const fault = (number: number, change: FaultEntry["change"], atMillis = number * 100): FaultEntry => ({
  type: "fault",
  change,
  number,
  atMillis,
  id: "fault-1",
  text: "node-2 is lost, for 30s"
})

describe("a node that is silent", () => {
  it.each([
    {
      why: "by hand, until it is brought back",
      entries: [
        node(1, "node-2"),
        node(3, "node-2", "stopped"),
        node(4, "node-2", "stopped"),
        node(7, "node-2", "running")
      ],
      told: ["the kubelet of node-2 is silent 3-7"]
    },
    {
      why: "by hand, and deleted",
      entries: [node(3, "node-2", "stopped"), node(9, "node-2", "stopped", "DELETED")],
      told: ["the kubelet of node-2 is silent 3-9"]
    },
    {
      why: "by hand twice, another beside it",
      entries: [
        node(1, "node-2", "stopped"),
        node(2, "node-22", "stopped"),
        node(3, "node-2"),
        node(5, "node-2", "stopped")
      ],
      told: [
        "the kubelet of node-2 is silent 1-3",
        "the kubelet of node-22 is silent 2-",
        "the kubelet of node-2 is silent 5-"
      ]
    },
    {
      why: "by a story, which says so first",
      entries: [fault(2, "BEGAN"), node(3, "node-2", "stopped"), node(6, "node-2"), fault(7, "ENDED")],
      told: ["node-2 is lost, for 30s 2-7"]
    },
    {
      why: "by a story, which says so afterwards",
      entries: [node(3, "node-2", "stopped"), fault(4, "BEGAN", 300), node(6, "node-2"), fault(7, "ENDED")],
      told: ["node-2 is lost, for 30s 4-7"]
    }
  ])("is one fault from then until it is not: $why", ({ entries, told }) => {
    const marking = makeFaultLog()
    for (const entry of entries) marking.add(entry)
    expect(
      marking.faults.map(
        ({ text, beganNumber, endedNumber }) => `${text} ${beganNumber}-${endedNumber ?? ""}`
      )
    ).toEqual(told)
  })
})

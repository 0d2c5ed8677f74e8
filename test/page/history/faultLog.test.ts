import { describe, expect, it } from "vitest"
import { kubeletStateAnnotation } from "../../../src/kubernetes/core/nodeStatus.ts"
import { makeFaultLog } from "../../../src/page/history/faultLog.ts"
import type { FaultEntry, ObjectEntry } from "../../../src/recording/entry.ts"

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
      ...(kubelet === undefined ? {} : { annotations: { [kubeletStateAnnotation]: kubelet } })
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

describe("the fault shown for a silent node", () => {
  it.each([
    {
      why: "a kubelet stopped by annotation, then started",
      entries: [
        node(1, "node-2"),
        node(3, "node-2", "stopped"),
        node(4, "node-2", "stopped"),
        node(7, "node-2", "running")
      ],
      expected: ["the kubelet of node-2 is silent 3-7"]
    },
    {
      why: "a kubelet stopped by annotation, then its node deleted",
      entries: [node(3, "node-2", "stopped"), node(9, "node-2", "stopped", "DELETED")],
      expected: ["the kubelet of node-2 is silent 3-9"]
    },
    {
      why: "a kubelet stopped twice, and another node beside it",
      entries: [
        node(1, "node-2", "stopped"),
        node(2, "node-22", "stopped"),
        node(3, "node-2"),
        node(5, "node-2", "stopped")
      ],
      expected: [
        "the kubelet of node-2 is silent 1-3",
        "the kubelet of node-22 is silent 2-",
        "the kubelet of node-2 is silent 5-"
      ]
    },
    {
      why: "a fault that is recorded before the annotation",
      entries: [fault(2, "BEGAN"), node(3, "node-2", "stopped"), node(6, "node-2"), fault(7, "ENDED")],
      expected: ["node-2 is lost, for 30s 2-7"]
    },
    {
      why: "a fault that is recorded after the annotation",
      entries: [node(3, "node-2", "stopped"), fault(4, "BEGAN", 300), node(6, "node-2"), fault(7, "ENDED")],
      expected: ["node-2 is lost, for 30s 4-7"]
    }
  ])("lasts until the kubelet runs again, once per node: $why", ({ entries, expected }) => {
    const marking = makeFaultLog()
    for (const entry of entries) marking.add(entry)
    expect(
      marking.faults.map(
        ({ text, beganNumber, endedNumber }) => `${text} ${beganNumber}-${endedNumber ?? ""}`
      )
    ).toEqual(expected)
  })
})

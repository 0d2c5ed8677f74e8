import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { faultText } from "../../src/faults/faultText.ts"
import { faultNames } from "../../src/faults/kinds/faultKinds.ts"
import { faultSchemas } from "../../src/faults/schemas/faultSchemas.ts"
import type { Fault } from "../../src/faults/fault.ts"

const web = { deployment: "web" } as const
const rows: ReadonlyArray<readonly [Fault, string]> = [
  [
    { fault: "crash", pods: { ...web, count: 2 }, exitCode: 137 },
    "2 Pods of Deployment web crash with exit code 137"
  ],
  [{ fault: "crash", pods: { count: 1 }, reason: "OOMKilled", for: "2m" }, "1 Pod runs out of memory for 2m"],
  [{ fault: "crash", pods: {} }, "all Pods crash"],
  [{ fault: "fail", pods: { ...web, revision: "new" } }, "new Pods of Deployment web fail (Evicted)"],
  [
    { fault: "fail", pods: { name: "web-*", count: 1 }, reason: "OutOfcpu" },
    "1 Pod named web-* fails (OutOfcpu)"
  ],
  [
    { fault: "kill", pods: { node: "node-1", namespace: "shop" } },
    "Pods in namespace shop on node-1 are deleted"
  ],
  [{ fault: "kill", pods: { count: 1 }, gracePeriodSeconds: 0 }, "1 Pod is deleted with 0s of grace"],
  [
    { fault: "flap", pods: { labels: { app: "web", tier: "front" } }, ready: "5s", unready: "1s", for: "1m" },
    "Pods with app=web,tier=front flap (5s ready, 1s unready) for 1m"
  ],
  [{ fault: "hang", pods: { ...web, revision: "old", count: 3 } }, "3 old Pods of Deployment web hang"],
  [{ fault: "hang", pods: { statefulSet: "db", count: 1 } }, "1 Pod of StatefulSet db hangs"],
  [{ fault: "slowStart", pods: web, by: "20s" }, "new Pods of Deployment web take 20s longer to start"],
  [
    { fault: "slowStart", pods: { count: 1 }, by: { uniform: ["5s", "1m"] } },
    "1 new Pod takes 5s to 1m longer to start"
  ],
  [{ fault: "pullFails", image: "*:v2", for: "5m" }, "images *:v2 cannot be pulled for 5m"],
  [{ fault: "pullFails", image: "app", error: "no route" }, "images app cannot be pulled: no route"],
  [{ fault: "nodeLost", node: "node-2", for: "1m30s" }, "node-2 is lost for 1m30s"],
  [{ fault: "nodeDrained", node: "node-2" }, "node-2 is drained"],
  [{ fault: "nodeCordoned", node: "node-2" }, "node-2 is cordoned"],
  [{ fault: "nodeFull", node: "node-2" }, "node-2 is full"],
  [{ fault: "quotaExhausted" }, "the quota of namespace default is used up"],
  [
    { fault: "quotaExhausted", namespace: "shop", hard: { pods: "3", cpu: "1" } },
    "the quota of namespace shop is pods=3, cpu=1"
  ],
  [{ fault: "controllerStopped", controller: "replicaSet" }, "the replicaSet controller is stopped"],
  [{ fault: "controllerSlow", controller: "pod", by: "2s" }, "the pod controller takes 2s over each object"],
  [{ fault: "controllerRestarted", controller: "deployment" }, "the deployment controller is restarted"],
  [
    { fault: "controllerRestarted", controller: "deployment", afterWrites: 1 },
    "the deployment controller is restarted after 1 more write"
  ],
  [
    { fault: "writesRefused", of: "replicaSet", code: 409, times: 3 },
    "writes of the replicaSet controller are refused with 409 (3 times)"
  ],
  [
    { fault: "writesRefused", of: "clients", code: 504, resource: "pods", verb: "delete", times: 1 },
    "deletions of pods by clients from outside are carried out and answered with 504 (1 time)"
  ],
  [{ fault: "writesSlow", of: "controllers", by: "300ms" }, "writes of all controllers take 300ms"],
  [{ fault: "watchLate", of: "deployment", by: "5s" }, "the deployment controller hears of changes 5s late"],
  [{ fault: "watchDropped", of: "controllers", for: "9s" }, "all controllers lose their watches for 9s"],
  [{ fault: "watchRepeated", of: "clients" }, "clients from outside hear of every change twice"],
  [{ fault: "staleReads", of: "scheduler" }, "the scheduler reads objects as they were before"],
  [
    { fault: "staleReads", of: "clients", reads: "all" },
    "clients from outside read objects as they were before, in all reads"
  ],
  [{ fault: "clockJump", by: "10m" }, "the clock jumps ahead by 10m"]
]

describe("the text of a fault", () => {
  it.each(rows)("of %o is %s", (fault, text) => {
    expect(faultText(fault)).toBe(text)
  })

  it("exists for every fault", () => {
    expect([...new Set(rows.map(([{ fault }]) => fault))].sort()).toEqual([...faultNames].sort())
  })
})

describe("the table of faults in the README", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../src/faults/README.md"), "utf8")
  const namesIn = (cell = ""): ReadonlyArray<string> =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, it = ""]) => it)
  const documentedFields = new Map(
    readme
      .split("\n")
      .map((line) => line.split(" | "))
      .flatMap(([faults, fields]) => namesIn(faults).map((name) => [name, namesIn(fields)] as const))
  )

  it.for(Object.entries(faultSchemas))("lists every field of %s", ([name, { fields }]) => {
    const own = Object.keys(fields).filter((field) => field !== "fault" && field !== "for")
    expect([...(documentedFields.get(name) ?? [])].sort()).toEqual(own.sort())
  })
})

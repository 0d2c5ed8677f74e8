import { controllerNames } from "../../../src/runtime/reconciler/controllerTurnOrder.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { Party } from "../../../src/faults/schemas/faultFields.ts"

const parties: ReadonlyArray<Party> = [...controllerNames, "controllers", "clients"]
const web = { deployment: "web" }
const twoPods = { ...web, count: 2 }

/** Faults of every kind, of every controller and of clients. */
export const faults: ReadonlyArray<Fault> = [
  { fault: "crash", pods: web, for: "40s" },
  { fault: "crash", pods: twoPods, exitCode: 3, for: "25s" },
  { fault: "kill", pods: twoPods },
  { fault: "fail", pods: twoPods },
  { fault: "clockJump", by: "7s" },
  { fault: "flap", pods: web, ready: "7s", unready: "3s", for: "50s" },
  { fault: "flap", pods: twoPods, ready: "4s", unready: "9s" },
  { fault: "hang", pods: twoPods, for: "35s" },
  { fault: "hang", pods: twoPods },
  { fault: "slowStart", pods: twoPods, by: { uniform: ["5s", "40s"] }, for: "45s" },
  { fault: "pullFails", image: "app:v2", for: "30s" },
  { fault: "nodeLost", node: "node-1", for: "80s" },
  { fault: "nodeDrained", node: "node-2", for: "60s" },
  { fault: "nodeCordoned", node: "node-2", for: "33s" },
  { fault: "nodeFull", node: "node-3", for: "44s" },
  { fault: "quotaExhausted", for: "38s" },
  ...controllerNames.flatMap((controller): ReadonlyArray<Fault> => [
    { fault: "controllerStopped", controller, for: "21s" },
    { fault: "controllerSlow", controller, by: "300ms", for: "20s" },
    { fault: "controllerSlow", controller, by: "2700ms", for: "14s" },
    { fault: "controllerRestarted", controller, afterWrites: 4, for: "1m" }
  ]),
  ...parties.flatMap((of): ReadonlyArray<Fault> => [
    { fault: "writesRefused", of, code: 409, verb: "update", times: 3, for: "30s" },
    { fault: "writesRefused", of, code: 500, times: 5, for: "30s" },
    { fault: "writesRefused", of, code: 504, resource: "pods", times: 2, for: "30s" },
    { fault: "writesSlow", of, by: "150ms", for: "15s" },
    { fault: "watchLate", of, by: "1700ms", for: "25s" },
    { fault: "watchDropped", of, for: "23s" },
    { fault: "watchRepeated", of, for: "30s" },
    { fault: "staleReads", of, for: "18s" }
  ])
]

import { faultSchema, nodeField } from "./faultFields.ts"
import type { FaultSchemas } from "./faultFields.ts"

export interface NodeFaultTypes {
  /** The kubelet sends no heartbeats any more. */
  readonly nodeLost: { readonly fault: "nodeLost"; readonly node: string }
  /** Cordoned, and its Pods evicted; evictions that a budget forbids are retried every 5 s. Uncordoned at the end. */
  readonly nodeDrained: { readonly fault: "nodeDrained"; readonly node: string }
  readonly nodeCordoned: { readonly fault: "nodeCordoned"; readonly node: string }
  /** The node has no room for further Pods. */
  readonly nodeFull: { readonly fault: "nodeFull"; readonly node: string }
}

export const nodeFaultSchemas = {
  nodeLost: faultSchema(
    "nodeLost",
    "The node stops sending heartbeats. Its Pods keep running, unreported, and are evicted after their tolerations.",
    {
      node: nodeField
    }
  ),
  nodeDrained: faultSchema(
    "nodeDrained",
    "The node is cordoned and its Pods are evicted, as `kubectl drain` does.",
    { node: nodeField }
  ),
  nodeCordoned: faultSchema("nodeCordoned", "The node accepts no new Pods, as after `kubectl cordon`.", {
    node: nodeField
  }),
  nodeFull: faultSchema("nodeFull", "The node has no room for another Pod.", { node: nodeField })
} as const satisfies FaultSchemas<NodeFaultTypes>

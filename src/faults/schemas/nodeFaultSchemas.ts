import { faultSchema, nodeField } from "./faultFields.ts"
import type { FaultSchemas } from "./faultFields.ts"

export interface NodeFaultTypes {
  readonly nodeLost: { readonly fault: "nodeLost"; readonly node: string }
  /** Cordons the node and evicts its Pods, retrying every 5 s; uncordons at the end. */
  readonly nodeDrained: { readonly fault: "nodeDrained"; readonly node: string }
  readonly nodeCordoned: { readonly fault: "nodeCordoned"; readonly node: string }
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

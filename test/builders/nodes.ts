import { metadataOf } from "./storedObjects.ts"
import type { ObjectOptions } from "./storedObjects.ts"
import type { Node } from "../../src/kubernetes/meta/objects.ts"

export interface NodeOptions extends ObjectOptions {
  readonly ready?: "True" | "False" | "Unknown"
  readonly cpu?: string
  readonly memory?: string
  readonly pods?: string
  readonly spec?: Node["spec"]
}

/** A ready node of 4 cpu, 8Gi and room for 110 Pods. */
export const aNode = (options: NodeOptions = {}): Node => {
  const { namespace: _namespace, ...metadata } = metadataOf(options, { name: "n1", labels: {} })
  const { cpu = "4", memory = "8Gi", pods = "110" } = options
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata,
    spec: options.spec ?? {},
    status: {
      allocatable: { cpu, memory, pods },
      conditions: [{ type: "Ready", status: options.ready ?? "True" }]
    }
  }
}

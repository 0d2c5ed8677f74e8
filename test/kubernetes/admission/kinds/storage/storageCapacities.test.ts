import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"

const aCapacity = aDraft("CSIStorageCapacity", "fast-a", {
  storageClassName: "fast",
  capacity: "10Gi",
  nodeTopology: { matchLabels: { zone: "a" } }
})

describe("a new CSIStorageCapacity", () => {
  refusesNew(aCapacity, [
    { why: "is valid, also where nothing is left", edits: [["capacity", "0"]], errors: [] },
    {
      why: "is not below zero",
      edits: [["capacity", "-1Gi"]],
      errors: ['capacity: Invalid value: "-1Gi": must be greater than or equal to 0']
    },
    {
      why: "is of nodes that a valid selector tells",
      edits: [["nodeTopology", { matchExpressions: [{ key: "zone", operator: "Is" }] }]],
      errors: [
        'nodeTopology.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator'
      ]
    }
  ])
})

describe("a changed CSIStorageCapacity", () => {
  refusesChange(aCapacity, [
    { why: "may have another size", edits: [["capacity", "1Gi"]], errors: [] },
    {
      why: "stays of its class",
      edits: [["storageClassName", "slow"]],
      errors: ['storageClassName: Invalid value: "slow": field is immutable']
    }
  ])
})

import { describe } from "vitest"
import { aDraft, refusesNew } from "./kindErrors.ts"

const aService = aDraft("APIService", "v1beta1.metrics.k8s.io", {
  spec: {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { namespace: "kube-system", name: "metrics-server" }
  }
})

describe("a new APIService", () => {
  refusesNew(aService, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "is named by its version and group",
      edits: [["metadata.name", "metrics"]],
      errors: [
        'metadata.name: Invalid value: "metrics": must be `spec.version+"."+spec.group`: "v1beta1.metrics.k8s.io"'
      ]
    },
    {
      why: "may be of the legacy group",
      edits: [
        ["metadata.name", "v1."],
        ["spec.group", ""],
        ["spec.version", "v1"]
      ],
      errors: []
    },
    {
      why: "has priorities, up to their limits",
      edits: [
        ["spec.groupPriorityMinimum", 20_001],
        ["spec.versionPriority", 0]
      ],
      errors: [
        "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
        "spec.versionPriority: Invalid value: 0: must be positive and less than 1000"
      ]
    },
    {
      why: "names its Service wholly, and checks a certificate or does not",
      edits: [
        ["spec.service", {}],
        ["spec.caBundle", "YWJj"]
      ],
      errors: [
        "spec.service.namespace: Required value",
        "spec.service.name: Required value",
        "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present"
      ]
    },
    {
      why: "has no certificate where the server itself serves it",
      edits: [
        ["spec.service", undefined],
        ["spec.insecureSkipTLSVerify", undefined],
        ["spec.caBundle", "YWJj"]
      ],
      errors: ['spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle']
    }
  ])
})

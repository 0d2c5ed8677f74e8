import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"
import type { LooseDraft } from "../../../../builders.ts"

const aDaemonSet: LooseDraft = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "logs", namespace: "shop" },
  spec: {
    selector: { matchLabels: { app: "logs" } },
    template: {
      metadata: { labels: { app: "logs" } },
      spec: { containers: [{ name: "logs", image: "fluentd" }] }
    }
  }
}
const strategyPath = "spec.updateStrategy"
const rollingUpdateEdits = (rollingUpdate: object) =>
  [[strategyPath, { type: "RollingUpdate", rollingUpdate }]] as const
const selectorMismatch = (labels: string) =>
  `spec.template.metadata.labels: Invalid value: ${labels}: \`selector\` does not match template \`labels\``

describe("a new DaemonSet", () => {
  refusesNew(aDaemonSet, [
    { why: "is valid", edits: [], errors: [] },
    { why: "may be updated on deletion", edits: [[strategyPath, { type: "OnDelete" }]], errors: [] },
    { why: "may surge", edits: rollingUpdateEdits({ maxSurge: "20%", maxUnavailable: 0 }), errors: [] },
    {
      why: "has a strategy that exists",
      edits: [[strategyPath, { type: "Recreate" }]],
      errors: [
        `${strategyPath}: Unsupported value: {"Type":"Recreate","RollingUpdate":null}: supported values: ` +
          '"RollingUpdate", "OnDelete"'
      ]
    },
    {
      why: "cannot be updated without a Pod that may be missing or too many",
      edits: rollingUpdateEdits({ maxUnavailable: 0 }),
      errors: [`${strategyPath}.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`]
    },
    {
      why: "does not surge while Pods may be unavailable",
      edits: rollingUpdateEdits({ maxUnavailable: 1, maxSurge: 2 }),
      errors: [
        `${strategyPath}.rollingUpdate.maxSurge: Invalid value: 2: may not be set when maxUnavailable is non-zero`
      ]
    },
    {
      why: "has percentages up to 100",
      edits: rollingUpdateEdits({ maxUnavailable: "110%" }),
      errors: [
        `${strategyPath}.rollingUpdate.maxUnavailable: Invalid value: "110%": must not be greater than 100%`
      ]
    },
    {
      why: "selects its own Pods",
      edits: [["spec.selector.matchLabels", { app: "other" }]],
      errors: [selectorMismatch('{"app":"logs"}')]
    },
    {
      why: "selects nothing without a selector",
      edits: [["spec.selector", undefined]],
      errors: [selectorMismatch('{"app":"logs"}')]
    },
    {
      why: "does not select all Pods",
      edits: [["spec.selector", {}]],
      errors: ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"]
    },
    {
      why: "has Pods that always restart, without a deadline, and no negative amounts",
      edits: [
        ["spec.template.spec.restartPolicy", "OnFailure"],
        ["spec.template.spec.activeDeadlineSeconds", 5],
        ["spec.minReadySeconds", -1],
        ["spec.revisionHistoryLimit", -1]
      ],
      errors: [
        'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
        "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
        "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0"
      ]
    }
  ])
})

describe("a stored DaemonSet", () => {
  refusesChange(aDaemonSet, [
    {
      why: "may change its template and its strategy",
      edits: [
        ["spec.template.spec.containers.0.image", "vector"],
        [strategyPath, { type: "OnDelete" }]
      ],
      errors: []
    },
    {
      why: "keeps its selector",
      edits: [
        ["spec.selector.matchLabels", { app: "more" }],
        ["spec.template.metadata.labels", { app: "more" }]
      ],
      errors: ['spec.selector: Invalid value: {"matchLabels":{"app":"more"}}: field is immutable']
    }
  ])
})

const aRevision = aDraft("ControllerRevision", "logs-1", { revision: 1, data: { spec: { a: 1 } } })

describe("a ControllerRevision", () => {
  refusesNew(aRevision, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "has data and no negative number",
      edits: [
        ["data", undefined],
        ["revision", -1]
      ],
      errors: [
        "revision: Invalid value: -1: must be greater than or equal to 0",
        "data: Required value: data is mandatory"
      ]
    },
    {
      why: "has an object as its data",
      edits: [["data", [1]]],
      errors: ["data: Required value: data must be a valid JSON object"]
    }
  ])
  refusesChange(aRevision, [
    { why: "may be numbered again", edits: [["revision", 2]], errors: [] },
    {
      why: "keeps its data",
      edits: [["data.spec.a", 2]],
      errors: ['data: Invalid value: {"spec":{"a":2}}: field is immutable']
    }
  ])
})

const aController: LooseDraft = {
  apiVersion: "v1",
  kind: "ReplicationController",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    selector: { app: "web" },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "nginx" }] }
    }
  }
}

describe("a ReplicationController", () => {
  refusesNew(aController, [
    { why: "is valid", edits: [], errors: [] },
    { why: "selects by the labels of its template", edits: [["spec.selector", undefined]], errors: [] },
    {
      why: "needs a template, and a selector where that has no labels",
      edits: [
        ["spec.selector", undefined],
        ["spec.template", undefined],
        ["spec.replicas", -1]
      ],
      errors: [
        "spec.selector: Required value",
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        "spec.template: Required value"
      ]
    },
    {
      why: "selects its own Pods, which always restart",
      edits: [
        ["spec.selector", { app: "api" }],
        ["spec.template.spec.restartPolicy", "Never"],
        ["spec.template.spec.activeDeadlineSeconds", 9]
      ],
      errors: [
        selectorMismatch('{"app":"web"}'),
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not " +
          "Supported"
      ]
    }
  ])
})

describe("a PodTemplate", () => {
  const aTemplate = aDraft("PodTemplate", "web", {
    template: { spec: { containers: [{ name: "web", image: "nginx" }] } }
  })

  refusesNew(aTemplate, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "has containers, and none for debugging",
      edits: [
        ["template.spec.containers", []],
        ["template.spec.ephemeralContainers", [{ name: "debug", image: "busybox" }]]
      ],
      errors: [
        "template.spec.containers: Required value",
        "template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"
      ]
    }
  ])
})

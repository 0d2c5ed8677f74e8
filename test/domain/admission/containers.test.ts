import { describe, expect, it } from "vitest"
import { labelRule, podErrors, type ErrorRow } from "./drafts.ts"

const app = "spec.containers.0"
const field = "spec.containers[0]"
const range = "must be between 1 and 65535, inclusive"

const check = (rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
}

describe("containers (TestValidateContainers)", () => {
  check([
    { why: "one with a name and an image is fine", edits: [], errors: [] },
    {
      why: "there is at least one",
      edits: [["spec.containers", []]],
      errors: ["spec.containers: Required value"]
    },
    { why: "it has a name", edits: [[`${app}.name`, ""]], errors: [`${field}.name: Required value`] },
    {
      why: "no name at all is none",
      edits: [[`${app}.name`, undefined]],
      errors: [`${field}.name: Required value`]
    },
    {
      why: "and two without one have the same",
      edits: [["spec.containers", [{ image: "a" }, { image: "b" }]]],
      errors: [
        `${field}.name: Required value`,
        "spec.containers[1].name: Required value",
        'spec.containers[1].name: Duplicate value: ""'
      ]
    },
    {
      why: "its name is a label",
      edits: [[`${app}.name`, "App"]],
      errors: [`${field}.name: Invalid value: "App": ${labelRule}`]
    },
    {
      why: "names are unique",
      edits: [["spec.containers.1", { name: "app", image: "a" }]],
      errors: ['spec.containers[1].name: Duplicate value: "app"']
    },
    {
      why: "it has an image",
      edits: [[`${app}.image`, undefined]],
      errors: [`${field}.image: Required value`]
    },
    {
      why: "an empty text is no image",
      edits: [[`${app}.image`, ""]],
      errors: [`${field}.image: Required value`]
    },
    {
      why: "what it says when it ends is found in two ways",
      edits: [[`${app}.terminationMessagePolicy`, "Loudly"]],
      errors: [
        `${field}.terminationMessagePolicy: Unsupported value: "Loudly": supported values: "File", ` +
          `"FallbackToLogsOnError"`
      ]
    },
    {
      why: "a Pod's image has no spaces around it",
      edits: [[`${app}.image`, "app:v3 "]],
      errors: [`${field}.image: Invalid value: "app:v3 ": must not have leading or trailing whitespace`]
    },
    {
      why: "images are pulled in three ways",
      edits: [[`${app}.imagePullPolicy`, "Sometimes"]],
      errors: [
        `${field}.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", ` +
          `"IfNotPresent", "Never"`
      ]
    },
    {
      why: "a plain container does not restart on its own terms",
      edits: [[`${app}.restartPolicy`, "Always"]],
      errors: [`${field}.restartPolicy: Forbidden: may not be set for non-init containers`]
    }
  ])
})

describe("init containers (TestValidateInitContainers)", () => {
  check([
    {
      why: "share one list of names with the others",
      edits: [["spec.initContainers", [{ name: "app", image: "a" }]]],
      errors: ['spec.initContainers[0].name: Duplicate value: "app"']
    },
    {
      why: "share it with each other too, but for those that lack a name",
      edits: [["spec.initContainers", ["a", "", "a", ""].map((name) => ({ name, image: "a" }))]],
      errors: [
        "spec.initContainers[1].name: Required value",
        'spec.initContainers[2].name: Duplicate value: "a"',
        "spec.initContainers[3].name: Required value"
      ]
    },
    {
      why: "need a name that no other lacks",
      edits: [
        [`${app}.name`, undefined],
        ["spec.initContainers", [{ image: "a" }]]
      ],
      errors: [
        `${field}.name: Required value`,
        "spec.initContainers[0].name: Required value",
        'spec.initContainers[0].name: Duplicate value: ""'
      ]
    },
    {
      why: "are containers like others",
      edits: [["spec.initContainers", [{ name: "a", image: "" }]]],
      errors: ["spec.initContainers[0].image: Required value"]
    },
    {
      why: "restart always or as the Pod does",
      edits: [["spec.initContainers", [{ name: "a", image: "a", restartPolicy: "Never" }]]],
      errors: ['spec.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"']
    },
    {
      why: "run one by one: only within one of them a port of the host is taken, and the first is blamed",
      edits: [
        [
          "spec.initContainers",
          [
            { name: "a", image: "a", ports: [{ containerPort: 81, hostPort: 7 }] },
            {
              name: "b",
              image: "b",
              ports: [
                { containerPort: 82, hostPort: 7 },
                { containerPort: 83, hostPort: 7 }
              ]
            }
          ]
        ]
      ],
      errors: ['spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//7"']
    },
    {
      why: "have no probes, for they end",
      edits: [
        ["spec.initContainers", [{ name: "a", image: "a", readinessProbe: { exec: { command: ["x"] } } }]]
      ],
      errors: [
        "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers " +
          "without restartPolicy=Always"
      ]
    },
    {
      why: "but a sidecar has",
      edits: [
        [
          "spec.initContainers",
          [{ name: "a", image: "a", restartPolicy: "Always", readinessProbe: { exec: { command: ["x"] } } }]
        ]
      ],
      errors: []
    }
  ])
})

describe("ports (TestValidateContainerPorts)", () => {
  check([
    {
      why: "a number is needed",
      edits: [[`${app}.ports`, [{}]]],
      errors: [`${field}.ports[0].containerPort: Required value`]
    },
    {
      why: "0 is no number",
      edits: [[`${app}.ports`, [{ containerPort: 0 }]]],
      errors: [`${field}.ports[0].containerPort: Required value`]
    },
    {
      why: "there are 65535 of them",
      edits: [[`${app}.ports`, [{ containerPort: 70_000, hostPort: -1 }]]],
      errors: [
        `${field}.ports[0].containerPort: Invalid value: 70000: ${range}`,
        `${field}.ports[0].hostPort: Invalid value: -1: ${range}`
      ]
    },
    {
      why: "a name breaks every rule at once",
      edits: [[`${app}.ports`, [{ name: "-1234567890_--1-", containerPort: 80 }]]],
      errors: [
        "must be no more than 15 characters",
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        "must contain at least one letter (a-z)",
        "must not contain consecutive hyphens",
        "must not begin or end with a hyphen"
      ].map((problem) => `${field}.ports[0].name: Invalid value: "-1234567890_--1-": ${problem}`)
    },
    {
      why: "or one of them",
      edits: [[`${app}.ports`, [{ name: "http-", containerPort: 80, hostPort: 0 }]]],
      errors: [`${field}.ports[0].name: Invalid value: "http-": must not begin or end with a hyphen`]
    },
    {
      why: "names are unique in a container",
      edits: [
        [
          `${app}.ports`,
          [
            { name: "http", containerPort: 80 },
            { name: "http", containerPort: 81 }
          ]
        ]
      ],
      errors: [`${field}.ports[1].name: Duplicate value: "http"`]
    },
    {
      why: "numbers need not be",
      edits: [[`${app}.ports`, [{ containerPort: 80 }, { containerPort: 80 }]]],
      errors: []
    },
    {
      why: "there are three protocols",
      edits: [[`${app}.ports`, [{ containerPort: 80, protocol: "QUIC" }]]],
      errors: [
        `${field}.ports[0].protocol: Unsupported value: "QUIC": supported values: "SCTP", "TCP", "UDP"`
      ]
    },
    {
      why: "a port of the host is taken once",
      edits: [
        [
          `${app}.ports`,
          [
            { containerPort: 80, hostPort: 8080 },
            { containerPort: 81, hostPort: 8080, hostIP: "10.0.0.7" }
          ]
        ],
        ["spec.containers.1", { name: "b", image: "b", ports: [{ containerPort: 82, hostPort: 8080 }] }]
      ],
      errors: ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//8080"']
    },
    {
      why: "on the host's network the numbers are the host's",
      edits: [
        ["spec.hostNetwork", true],
        [`${app}.ports`, [{ containerPort: 80, hostPort: 81 }]]
      ],
      errors: [
        `${field}.ports[0].hostPort: Invalid value: 81: must match \`containerPort\` when ` +
          `\`hostNetwork\` is true`
      ]
    }
  ])
})

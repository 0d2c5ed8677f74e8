import { describe, expect, it } from "vitest"
import { labelRule, podErrors, type ErrorRow } from "../drafts.ts"

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
    { why: "accepts a container with a name and an image", edits: [], errors: [] },
    {
      why: "requires a container",
      edits: [["spec.containers", []]],
      errors: ["spec.containers: Required value"]
    },
    { why: "requires a name", edits: [[`${app}.name`, ""]], errors: [`${field}.name: Required value`] },
    {
      why: "requires a name that is present",
      edits: [[`${app}.name`, undefined]],
      errors: [`${field}.name: Required value`]
    },
    {
      why: "reports two missing names as duplicates",
      edits: [["spec.containers", [{ image: "a" }, { image: "b" }]]],
      errors: [
        `${field}.name: Required value`,
        "spec.containers[1].name: Required value",
        'spec.containers[1].name: Duplicate value: ""'
      ]
    },
    {
      why: "requires a DNS label as name",
      edits: [[`${app}.name`, "App"]],
      errors: [`${field}.name: Invalid value: "App": ${labelRule}`]
    },
    {
      why: "requires unique names",
      edits: [["spec.containers.1", { name: "app", image: "a" }]],
      errors: ['spec.containers[1].name: Duplicate value: "app"']
    },
    {
      why: "requires an image",
      edits: [[`${app}.image`, undefined]],
      errors: [`${field}.image: Required value`]
    },
    {
      why: "rejects an empty image",
      edits: [[`${app}.image`, ""]],
      errors: [`${field}.image: Required value`]
    },
    {
      why: "rejects an unknown termination message policy",
      edits: [[`${app}.terminationMessagePolicy`, "Loudly"]],
      errors: [
        `${field}.terminationMessagePolicy: Unsupported value: "Loudly": supported values: "File", ` +
          `"FallbackToLogsOnError"`
      ]
    },
    {
      why: "rejects an image with trailing spaces",
      edits: [[`${app}.image`, "app:v3 "]],
      errors: [`${field}.image: Invalid value: "app:v3 ": must not have leading or trailing whitespace`]
    },
    {
      why: "rejects an unknown pull policy",
      edits: [[`${app}.imagePullPolicy`, "Sometimes"]],
      errors: [
        `${field}.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", ` +
          `"IfNotPresent", "Never"`
      ]
    }
  ])
})

describe("init containers (TestValidateInitContainers)", () => {
  check([
    {
      why: "share their names with the app containers",
      edits: [["spec.initContainers", [{ name: "app", image: "a" }]]],
      errors: ['spec.initContainers[0].name: Duplicate value: "app"']
    },
    {
      why: "have unique names, where they have names",
      edits: [["spec.initContainers", ["a", "", "a", ""].map((name) => ({ name, image: "a" }))]],
      errors: [
        "spec.initContainers[1].name: Required value",
        'spec.initContainers[2].name: Duplicate value: "a"',
        "spec.initContainers[3].name: Required value"
      ]
    },
    {
      why: "report a missing name as a duplicate of an app container's",
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
      why: "need an image like other containers",
      edits: [["spec.initContainers", [{ name: "a", image: "" }]]],
      errors: ["spec.initContainers[0].image: Required value"]
    },
    {
      why: "conflict in host ports only within one container, reported on the first",
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
      why: "forbid probes",
      edits: [
        ["spec.initContainers", [{ name: "a", image: "a", readinessProbe: { exec: { command: ["x"] } } }]]
      ],
      errors: [
        "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers " +
          "without restartPolicy=Always"
      ]
    },
    {
      why: "allow probes in sidecars",
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
      why: "require a number",
      edits: [[`${app}.ports`, [{}]]],
      errors: [`${field}.ports[0].containerPort: Required value`]
    },
    {
      why: "reject 0",
      edits: [[`${app}.ports`, [{ containerPort: 0 }]]],
      errors: [`${field}.ports[0].containerPort: Required value`]
    },
    {
      why: "end at 65535",
      edits: [[`${app}.ports`, [{ containerPort: 70_000, hostPort: -1 }]]],
      errors: [
        `${field}.ports[0].containerPort: Invalid value: 70000: ${range}`,
        `${field}.ports[0].hostPort: Invalid value: -1: ${range}`
      ]
    },
    {
      why: "report every broken rule of a name",
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
      why: "report the one broken rule of a name",
      edits: [[`${app}.ports`, [{ name: "http-", containerPort: 80, hostPort: 0 }]]],
      errors: [`${field}.ports[0].name: Invalid value: "http-": must not begin or end with a hyphen`]
    },
    {
      why: "have unique names in a container",
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
      why: "may repeat numbers in a container",
      edits: [[`${app}.ports`, [{ containerPort: 80 }, { containerPort: 80 }]]],
      errors: []
    },
    {
      why: "reject an unknown protocol",
      edits: [[`${app}.ports`, [{ containerPort: 80, protocol: "QUIC" }]]],
      errors: [
        `${field}.ports[0].protocol: Unsupported value: "QUIC": supported values: "SCTP", "TCP", "UDP"`
      ]
    },
    {
      why: "take a host port once",
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
      why: "equal the host port on the host's network",
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

import type { Explained } from "../explained.ts"

/** Pods, containers and nodes. */
export const pods: ReadonlyArray<Explained> = [
  {
    file: "src/kubernetes/pods/containers/containerRuns.ts",
    why: "the compiler asks: only a container whose readiness comes and goes is asked",
    changes: [
      ["const answers = life.flap?.readyMillis ?? 0", "life.flap.readyMillis", "1"],
      ["const silent = life.flap?.unreadyMillis ?? 0", "life.flap.unreadyMillis", "1"]
    ]
  },
  {
    file: "src/kubernetes/pods/containers/containers.ts",
    why: "the compiler asks: what has ended has an end",
    changes: [
      ['return policy === "Never" || (policy === "OnFailure" && lastExit?.code === 0)', "lastExit.code"]
    ]
  },
  {
    file: "src/kubernetes/pods/podPhase.ts",
    why: "the compiler asks: what has ended has an end",
    changes: [
      [
        '({ role, doing, lastExit }) => role === "init" && doing === "terminated" && lastExit?.code !== 0',
        "lastExit.code"
      ],
      ['role === "sidecar" ? started : doing === "terminated" && lastExit?.code === 0', "lastExit.code"]
    ]
  },
  {
    file: "src/kubernetes/pods/containers/containerStatuses.ts",
    why: "the compiler asks: what has ended has an end",
    changes: [
      [
        'ready: facts.ready || (role === "init" && doing === "terminated" && facts.lastExit?.code === 0),',
        "facts.lastExit.code"
      ],
      ["if (lastExit?.reason === neverRun.reason) {", "lastExit.reason"],
      ['const { code, reason } = facts.lastExit ?? { code: 0, reason: "Completed" }', "1"]
    ]
  },
  {
    file: "src/kubernetes/pods/containers/containerStatuses.ts",
    why: "the compiler asks: a Pod's containers are those it was created with",
    changes: [
      ['const image = containerOf(pod.spec, facts)?.image ?? ""', "containerOf(pod.spec, facts).image"]
    ]
  },
  {
    file: "src/kubernetes/pods/podLogs.ts",
    why: "the compiler asks: a Pod's containers are those it was created with",
    changes: [
      [
        'const image = [...pod.spec.containers, ...inits].find(({ name }) => name === container)?.image ?? ""',
        "[...pod.spec.containers, ...inits].find(({\n  name\n}) => name === container).image"
      ]
    ]
  },
  {
    file: "src/kubernetes/pods/podConditions.ts",
    why: "the other way says the same, and takes more room",
    changes: [["if (because?.reason === undefined && generation !== undefined)", "false"]]
  },
  {
    file: "src/kubernetes/core/placement.ts",
    why: "what is remembered is only found sooner, and all that is stored is frozen",
    changes: [
      ["if (known !== undefined) return known", "false"],
      ["if (Object.isFrozen(node)) taintsByNode.set(node, taints)", "true", "false", ";"],
      ["if (Object.isFrozen(allocatable)) roomByAllocatable.set(allocatable, room)", "true", "false", ";"]
    ]
  }
]

import type { Explained } from "../explained.ts"

/** The statecharts. */
export const charts: ReadonlyArray<Explained> = [
  {
    file: "machines/deploymentSetup.ts",
    why: "the compiler asks: the chart comes here with this event only",
    changes: [
      [
        'const messageOf = (event: DeploymentEvent): string => (event.type === "refused" ? event.refusal.message : "")',
        "true"
      ],
      ['remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),', "true"]
    ]
  },
  {
    file: "machines/deploymentSetup.ts",
    why: "the compiler asks: the chart comes here with an observation only",
    changes: [
      [
        'reportFound: report((observation) => progress.foundCondition(observation.next?.metadata.name ?? "")),',
        "observation.next.metadata"
      ],
      [
        "progressCheck: ({ context }) => Math.max(0, (context.checkMillis ?? 0) - (context.seen?.nowMillis ?? 0))",
        "1"
      ]
    ]
  },
  {
    file: "machines/deploymentGuards.ts",
    why: "the compiler asks: the chart comes here with this event only",
    changes: [['event.type === "refused" &&', "true"]]
  },
  {
    file: "machines/deploymentGuards.ts",
    why: "the compiler asks: the chart comes here with an observation only",
    changes: [["return observation === undefined ? undefined : select(observation)", "false"]]
  },
  {
    file: "machines/deploymentGuards.ts",
    why: "the compiler asks for some answer: the chart brings the strategies' own",
    changes: [["isCreating: creatingGuard(() => false),", "true"]]
  },
  {
    file: "machines/replicaSet.ts",
    why: "the compiler asks: the chart comes here with this event only",
    changes: [
      ['event.type !== "refused" || event.refusal.reason === namespaceTerminatingCause', "false"],
      ['remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),', "true"]
    ]
  },
  {
    file: "machines/replicaSet.ts",
    why: "the compiler asks: the chart comes here with an observation only",
    changes: [
      [
        "wanted: context.seen === undefined ? 0 : Math.min(missingPods(context.seen), podBurstMax)",
        "false",
        "1"
      ],
      ["Math.max(0, (context.seen?.pods.nextAvailableMillis ?? 0) - (context.seen?.nowMillis ?? 0))", "1"],
      ["context: { seen: undefined, created: 0, wanted: 0 },", "1"]
    ]
  },
  {
    file: "machines/replicaSetGuards.ts",
    why: "the compiler asks: the chart comes here with this event only",
    changes: [['event.type === "refused" &&', "true"]]
  },
  {
    file: "machines/podGuards.ts",
    why: "the compiler asks: the chart comes here with this event only",
    changes: [
      ['({ event }: PodMoment) => event.type === "observed" && fact(event.seen),', "true"],
      ['event.type === "observed" &&', "true", 'event.type === "observed" || context.seen !== undefined'],
      ['event.type === "container.changed" &&', "true"]
    ]
  },
  {
    file: "machines/podGuards.ts",
    why: "the compiler asks: the chart comes here with an observation only",
    changes: [
      ["({ context }: PodMoment) => context.seen !== undefined && fact(context.seen),", "true"],
      ["context.seen !== undefined &&", "true"],
      [
        'export const policyOf = ({ seen }: ObservedPod): string => seen?.pod.spec.restartPolicy ?? "Always"',
        "seen.pod"
      ]
    ]
  },
  {
    file: "machines/podGuards.ts",
    why: "the compiler asks: each container has come to an end by then",
    changes: [
      [
        '(containers) => containers.some(({ role, lastExit }) => role !== "sidecar" && lastExit?.code !== 0),',
        "lastExit.code"
      ]
    ]
  },
  {
    file: "machines/podSetup.ts",
    why: "the compiler asks: the chart comes here with this event only",
    changes: [
      ['remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),', "true"],
      ['event.type === "container.changed"', "true"],
      [
        'if (event.type !== "container.changed" || context.seen === undefined) return',
        "false",
        'event.type !== "container.changed" && context.seen === undefined'
      ]
    ]
  },
  {
    file: "machines/podSetup.ts",
    why: "the compiler asks: the chart comes here with an observation only",
    changes: [
      ["if (seen === undefined || context.actors.length > 0) return {}", "false"],
      ["if (seen === undefined || next === undefined) return {}", "false"],
      ["if (seen === undefined) return {}", "false"],
      ["if (seen === undefined) return", "false"],
      ["const seconds = seen?.pod.spec.activeDeadlineSeconds", "seen.pod"],
      ["if (seen === undefined || seconds === undefined) return", "false"],
      [
        "delays: { schedule: ({ context }) => context.seen?.life.scheduleMillis ?? 0 }",
        "1",
        "context.seen.life"
      ]
    ]
  },
  {
    file: "machines/podSetup.ts",
    why: "the compiler asks: each container has come to an end by then, and each actor has its container",
    changes: [["if (facts !== undefined && isContainerDone(facts, policyOf(context))) continue", "true"]]
  },
  {
    file: "machines/podSetup.ts",
    why: "one that has ended for good stays as it is: told to stop twice, it is only complained of by XState",
    changes: [
      [
        "if (facts !== undefined && isContainerDone(facts, policyOf(context))) continue",
        "false",
        "facts === undefined"
      ],
      ["const facts = containers.find(({ name }) => name === actor.id)", "false"]
    ]
  },
  {
    file: "machines/podSetup.ts",
    why: "who does not run stops when it is told to, however it is told",
    changes: [["const immediateStop: ContainerStop = { withinMillis: 0, isKilled: false }", "1", "true"]]
  },
  {
    file: "machines/podSetup.ts",
    why: "when only the apps wait for their turn they begin in any case",
    changes: [
      ['const index = containers.findIndex((facts) => facts.role !== "app" && isQueued(facts))', "true"]
    ]
  },
  {
    file: "machines/podSetup.ts",
    why: "the container's actor says so itself before anything else is heard",
    changes: [["containers: containers.map((it) => (it === next ? asCreating(it) : it)),", "false"]]
  },
  {
    file: "machines/podSetup.ts",
    why: "a deadline only ever comes nearer, but every look would leave its timer behind",
    changes: [['enqueue.cancel("deadline")', ";"]]
  },
  {
    file: "machines/containerGuards.ts",
    why: "the compiler asks: the chart comes here with the end of a run only",
    changes: [
      [
        'plan.restartPolicy === "Always" || (plan.restartPolicy === "OnFailure" && facts.lastExit?.code !== 0),',
        "facts.lastExit.code"
      ],
      ['(context) => endOfRun(context)?.because !== "exited",', "endOfRun(context).because"]
    ]
  },
  {
    file: "machines/containerSetup.ts",
    why: "the compiler asks: the chart comes here with the end of a run only",
    changes: [
      ["return end === undefined ? {} : afterRun(context, end, end.afterMillis + end.stopMillis)", "false"],
      ["return crash === undefined ? {} : afterRun(context, crash, crash.ranMillis)", "false"],
      ["if (verdict === undefined) return", "false"],
      [
        "untilEnd: ({ context }) => remainingMillis(context, endOfRun(context)?.afterMillis ?? 0),",
        "1",
        "endOfRun(context).afterMillis"
      ],
      [
        "untilKilled: ({ context }) => endOfRun(context)?.stopMillis ?? 0,",
        "1",
        "endOfRun(context).stopMillis"
      ]
    ]
  },
  {
    file: "machines/containerSetup.ts",
    why: "the compiler asks: the chart comes here when it was told to stop, and how",
    changes: [['untilStopped: ({ event }) => (event.type === "stop" ? event.withinMillis : 0)', "true", "1"]]
  },
  {
    file: "src/kubernetes/pods/containers/containerRuns.ts",
    why: "the compiler asks: who has no readiness probe is not asked when that fails",
    changes: [
      [
        "plan.readiness === undefined ? 0 : failsAt(plan.readiness, silentFrom(plan, restartCount) ?? 0)",
        "false",
        "1"
      ]
    ]
  },
  {
    file: "src/kubernetes/pods/containers/containerRuns.ts",
    why: "a probe that is due at this very moment has its next run at this very moment",
    changes: [
      [
        "if (ranMillis <= atMillis || timing === undefined) return Math.max(0, atMillis - ranMillis)",
        "ranMillis < atMillis"
      ]
    ]
  },
  {
    file: "machines/containerSetup.ts",
    why: "the compiler asks: only these events come to these actions",
    changes: [
      [
        'noteLife: assign(({ event }) => (event.type === "life.changed" ? { plan: event.plan } : {})),',
        "true"
      ],
      ['event.type === "life.changed" ? { elapsedMillis: event.elapsedMillis } : {}', "true"],
      [
        'noteRequest: assign(({ event }) => (event.type === "stop" ? { isKilled: event.isKilled } : {})),',
        "true"
      ]
    ]
  },
  {
    file: "machines/container.ts",
    why: "the compiler asks: the chart comes here when it was told to stop, and how",
    changes: [["isKilled: false", "true"]]
  },
  {
    file: "machines/node.ts",
    why: "the compiler asks: the chart comes here with an observation, and a time in it, only",
    changes: [
      ["seen === undefined ? 0 : Math.max(0, seen.lostMillis - seen.nowMillis),", "false", "1"],
      [
        "Math.max(0, (seen?.nextOverdueMillis ?? 0) - (seen?.nowMillis ?? 0))",
        "1",
        "seen.nextOverdueMillis",
        "seen.nowMillis"
      ]
    ]
  }
]

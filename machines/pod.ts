import { and, not } from "xstate"
import { noStopTimes, podSetup } from "./podSetup.ts"

/**
 * A Pod, as its kubelet runs it with the behaviour's life. Its containers are child actors, whose events decide the
 * Pod's state.
 * Source: pkg/kubelet/kubelet.go (SyncPod, SyncTerminatingPod), pkg/kubelet/kubelet_pods.go.
 */
export const podMachine = podSetup.createMachine({
  id: "pod",
  context: { seen: undefined, containers: [], actors: [], stopsAt: noStopTimes },
  initial: "unseen",
  states: {
    unseen: { on: { observed: { target: "placing", actions: "remember" } } },
    placing: {
      description: "Where the Pod is in its life, by what is stored of it.",
      always: [
        { guard: "isByHand", target: "byHand" },
        { guard: "isLeftBehind", target: "leftBehind" },
        { guard: "isFailed", target: "failed" },
        { guard: "isSucceeded", target: "succeeded" },
        { guard: "isLost", target: "outOfReach" },
        { guard: "isBound", target: "onNode", actions: "setDeadline" },
        { target: "pending" }
      ]
    },
    byHand: { description: "Only you change the status of this Pod." },
    pending: {
      description: "It has no node yet.",
      initial: "unscheduled",
      on: { observed: { actions: "remember" } },
      always: [
        { guard: "isBound", target: "placing" },
        { guard: "isFailed", target: "failed" },
        { guard: "isSucceeded", target: "succeeded" }
      ],
      states: {
        unscheduled: {
          tags: "moving",
          after: { schedule: { target: "scheduled", actions: "requestBinding" } }
        },
        scheduled: { description: "The scheduler looks for a node, for as long as it takes." }
      }
    },
    onNode: {
      description: "A kubelet has it.",
      entry: ["startContainers", "report"],
      on: {
        observed: [
          { guard: "isNowTerminating", target: ".watching", actions: "remember" },
          // Reports again, because the server may have refused the last report.
          { target: ".watching", actions: ["passLifeOn", "remember", "setDeadline", "report"] }
        ],
        "container.changed": [
          { guard: "saysNothingNew", actions: "recordEvents" },
          { target: ".watching", actions: ["noteContainer", "recordEvents", "report"] }
        ],
        "deadline.passed": "ending.overdue"
      },
      initial: "watching",
      states: {
        watching: {
          description: "What do its containers tell?",
          always: [
            { guard: "isLost", target: "#pod.outOfReach" },
            { guard: "isTerminating", target: "#pod.terminating" },
            { guard: "isGivenUp", target: "#pod.ending.givenUp" },
            { guard: "isInitializing", target: "initializing" },
            { guard: "areDone", target: "#pod.ending.finishing" },
            { guard: "isUnheard", target: "hanging" },
            { guard: "areReady", target: "running.ready" },
            { guard: and(["haveRun", "isMute"]), target: "hanging.noticed" },
            { guard: "haveRun", target: "running" },
            { guard: "isHeldUp", target: "heldUp" },
            { target: "starting" }
          ]
        },
        initializing: {
          description: "Init containers run one after another; a sidecar only has to have started.",
          entry: "startNextInit",
          initial: "working",
          always: [
            { guard: "hasInitFailed", target: "#pod.ending.finishing" },
            { guard: "isInitialized", target: "starting", actions: "startApps" }
          ],
          states: {
            working: { tags: "moving", always: { guard: "isHeldUp", target: "backingOff" } },
            backingOff: { description: "An init container waits out a back-off before it runs again." }
          }
        },
        starting: { tags: "moving", description: "Images are pulled, containers created." },
        heldUp: { description: "A container waits out a back-off before it can start." },
        running: {
          description: "All its containers have been started.",
          initial: "notReady",
          states: {
            notReady: {
              initial: "coming",
              states: {
                coming: { tags: "moving", always: { guard: "isHeldUp", target: "backingOff" } },
                backingOff: { description: "A container waits out a back-off before it starts again." }
              }
            },
            ready: { description: "Every container answers: the Pod serves, if its gates are open." }
          }
        },
        hanging: {
          description: "A container answers nothing any more.",
          initial: "unnoticed",
          states: {
            unnoticed: { tags: "moving", description: "A probe of it has yet to fail." },
            noticed: { description: "The Pod is not ready, and the container is not restarted." }
          }
        }
      }
    },
    ending: {
      description: "Its containers are stopped for good.",
      initial: "finishing",
      on: {
        observed: [
          { guard: "isNowLost", target: "outOfReach", actions: "remember" },
          { guard: "isNowTerminating", target: "terminating", actions: "remember" },
          { actions: "remember" }
        ],
        "container.changed": { guard: "saysNothingNew", actions: "recordEvents" }
      },
      states: {
        overdue: {
          description: "Longer there than activeDeadlineSeconds: it has failed.",
          tags: "moving",
          entry: ["recordOverdue", "endContainers", "reportOverdue"],
          on: {
            "container.changed": {
              guard: not("saysNothingNew"),
              actions: ["noteContainer", "recordEvents", "reportOverdue"]
            }
          },
          always: { guard: "haveStopped", target: "#pod.failed" }
        },
        givenUp: {
          description: "Its kubelet has evicted it, for want of memory or the like: it has failed.",
          tags: "moving",
          entry: ["recordVerdict", "endContainers", "reportVerdict"],
          on: {
            "container.changed": {
              guard: not("saysNothingNew"),
              actions: ["noteContainer", "recordEvents", "reportVerdict"]
            }
          },
          always: { guard: "haveStopped", target: "#pod.failed" }
        },
        finishing: {
          description: "Its containers have ended: sidecars, if it has any, go after them.",
          tags: "moving",
          entry: "endContainers",
          on: {
            "container.changed": {
              guard: not("saysNothingNew"),
              actions: ["noteContainer", "recordEvents", "report"]
            }
          },
          always: { guard: "haveStopped", target: "#pod.finished" }
        }
      }
    },
    finished: {
      description: "How did they end?",
      always: [{ guard: "didFail", target: "failed" }, { target: "succeeded" }]
    },
    succeeded: {
      description: "All its containers ended well.",
      on: { observed: { guard: "hasRunHere", actions: "report" } }
    },
    failed: {
      description: "It is not started again.",
      on: { observed: { guard: "hasRunHere", actions: "report" } }
    },
    terminating: {
      description: "Asked to stop; gone when every container has, or when the grace period is over.",
      tags: "moving",
      entry: ["startContainers", "stopContainers"],
      on: {
        observed: [
          { guard: "isNowLost", target: "outOfReach", actions: "remember" },
          { guard: "isHurried", actions: ["remember", "stopContainers"] },
          { actions: "remember" }
        ],
        "container.changed": [
          { guard: "saysNothingNew", actions: "recordEvents" },
          { guard: "isLastToStop", target: "gone", actions: ["noteContainer", "recordEvents"] },
          { actions: ["noteContainer", "recordEvents", "report"] }
        ]
      },
      always: { guard: "haveStopped", target: "gone" }
    },
    leftBehind: {
      description: "Its kubelet was gone before it could take the object of an ended Pod away.",
      entry: "remove",
      on: { observed: { actions: "remove" } }
    },
    outOfReach: {
      description:
        "Its node is lost: nothing is heard of it, and nothing done about it, until the node is back.",
      entry: "loseContainers",
      on: {
        observed: {
          target: "placing",
          guard: "isBack",
          actions: "remember"
        }
      }
    },
    gone: {
      description: "The kubelet takes the object away.",
      entry: ["reportDeleted", "remove"],
      on: { observed: { actions: "remove" } }
    }
  }
})

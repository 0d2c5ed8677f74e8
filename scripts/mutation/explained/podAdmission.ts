import type { Explained } from "../explained.ts"

/** What Pods and what bounds them must be, and what they are given. */
export const podAdmission: ReadonlyArray<Explained> = [
  {
    file: "src/kubernetes/validation/validateIntOrPercent.ts",
    why: "any share that is not more than all says the same",
    changes: [
      [
        '(percentOf(value) ?? 0) > 100 ? [invalid(path, value, "must not be greater than 100%")] : noErrors',
        "1"
      ]
    ]
  },
  {
    file: "src/kubernetes/admission/pods/validatePod.ts",
    why: "what is the stored one is valid and no change: that only spares looking at it",
    changes: [
      ["if (spec === before) return noErrors", "false"],
      ["spec.containers === before.containers &&", "false"],
      ["containers === before", "false"]
    ]
  },
  {
    file: "src/kubernetes/admission/pods/validatePod.ts",
    why: "the compiler asks: it has been filled in",
    changes: [
      ["spec.terminationGracePeriodSeconds === 1 && (before.terminationGracePeriodSeconds ?? 0) < 0", "1"]
    ]
  },
  {
    file: "src/kubernetes/admission/pods/validatePod.ts",
    why: "the compiler asks: there are as many as before",
    changes: [
      [
        ': containers.map((container, index) => ({ ...container, image: before[index]?.image ?? "" }))',
        "before[index].image"
      ]
    ]
  },
  {
    file: "src/kubernetes/admission/defaults/podDefaults.ts",
    why: "the compiler asks: nothing is filled in where there is nothing to fill in",
    changes: [["return priority === undefined ? spec : fill(spec, { priority })", "false"]]
  },
  {
    file: "src/kubernetes/admission/kinds/validatePriorityClass.ts",
    why: "a class that does not say what it is worth: no bound and no class of the system is as low as either",
    changes: [["value = 0,", "1"]]
  },
  {
    file: "src/kubernetes/admission/pods/validateProbes.ts",
    why: "the compiler asks for it; without it the next comparison says no all the same",
    changes: [["if (seconds !== undefined && seconds <= 0) {", "true"]]
  },
  {
    file: "src/kubernetes/admission/pods/qosClass.ts",
    why: "what is remembered is only found sooner",
    changes: [
      ["if (cached !== undefined) return cached", "false"],
      ["if (Object.isFrozen(spec)) classes.set(spec, found)", "false", ";"]
    ]
  }
]

import type { RandomGenerator } from "pure-rand/types/RandomGenerator"
import type { ContainerExit, ContainerLife, PodLife, ReadinessFlap } from "../kubernetes/pods/podLife.ts"
import type {
  Behaviour,
  ContainerBehaviour,
  ExitBehaviour,
  FlapBehaviour,
  PullBehaviour,
  Times
} from "./behaviour.ts"
import { exitStatusOf } from "./behaviour.ts"
import { instant, defaultPullError, steady } from "./builtInBehaviours.ts"
import { podRandom } from "./podRandom.ts"
import { compileDelay, fixedDraw, type Draw } from "./delays.ts"
import { deepFreezeEveryPart } from "../kubernetes/meta/deepFreeze.ts"

/**
 * The same behaviour, seed and Pod uid always give the same life; without distributions, all Pods share one frozen
 * life. A behaviour is compiled at its first draw and must not be changed afterwards.
 */
export const drawLife = (behaviour: Behaviour, seed: number, podUid: string): PodLife => {
  const podLife = compiledLifeOf(behaviour)
  return podLife.isFixed ? podLife.draw(unusedRandom) : podLife.draw(podRandom(seed, podUid))
}

const unusedRandom = podRandom(0, "")

const compiledLives = new WeakMap<Behaviour, Draw<PodLife>>()

const compiledLifeOf = (behaviour: Behaviour): Draw<PodLife> => {
  const cached = compiledLives.get(behaviour)
  if (cached !== undefined) return cached
  const compiled = drawOnceIfFixed(compileLife(behaviour))
  compiledLives.set(behaviour, compiled)
  return compiled
}

const compileLife = (behaviour: Behaviour): Draw<PodLife> => {
  const mover = behaviour.mover ?? steady.mover
  // The mover writes the Pod's status: `you` are an API client, and write it without delays.
  const defaults = mover === "you" ? instant : steady
  const schedule = compileDelay(behaviour.schedule ?? defaults.schedule)
  const terminate = compileDelay(behaviour.terminate ?? defaults.terminate)
  const compileWith = (overrides: ContainerBehaviour): Draw<ContainerLife> =>
    drawOnceIfFixed(
      compileContainer({
        ...behaviour,
        ...overrides,
        pull: { ...steady.pull, ...defaults.pull, ...behaviour.pull, ...overrides.pull },
        start: overrides.start ?? behaviour.start ?? defaults.start,
        ready: overrides.ready ?? behaviour.ready ?? defaults.ready
      })
    )
  const otherContainers = compileWith({})
  // The order of a file's fields must not change a Pod's life.
  const containersInOrder = Object.entries(behaviour.containers ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, overrides]) => ({ name, life: compileWith(overrides) }))
  const drawContainers = containersInOrder.length === 0 ? () => noContainers : drawEach(containersInOrder)

  return {
    isFixed: [schedule, terminate, otherContainers, ...containersInOrder.map(({ life }) => life)].every(
      ({ isFixed }) => isFixed
    ),
    draw: (random) => ({
      mover,
      scheduleMillis: schedule.draw(random),
      terminateMillis: terminate.draw(random),
      otherContainers: otherContainers.draw(random),
      containers: drawContainers(random)
    })
  }
}

/** No prototype: a container may be called `constructor`. */
const containersByName = (): Record<string, ContainerLife> => Object.create(null)

const noContainers: PodLife["containers"] = Object.freeze(containersByName())

const drawEach =
  (containersInOrder: ReadonlyArray<{ readonly name: string; readonly life: Draw<ContainerLife> }>) =>
  (random: RandomGenerator): PodLife["containers"] => {
    const containers = containersByName()
    for (const { name, life } of containersInOrder) containers[name] = life.draw(random)
    return containers
  }

type CompleteContainer = ContainerBehaviour &
  Required<Pick<ContainerBehaviour, "start" | "ready">> & {
    readonly pull: PullBehaviour & Required<Pick<PullBehaviour, "delay" | "failures">>
  }

const compileContainer = (container: CompleteContainer): Draw<ContainerLife> => {
  const pull = compileDelay(container.pull.delay)
  const pullFailures = toCount(container.pull.failures)
  const pullError = container.pull.error ?? defaultPullError
  const { terminateCode } = container
  const start = compileDelay(container.start)
  const ready = compileDelay(container.ready)
  const exit = container.exit === undefined ? noValue : compileExit(container.exit)
  const flap = container.flap === undefined ? noValue : compileFlap(container.flap)
  const hang = container.hang === undefined ? noValue : compileDelay(container.hang)
  return {
    isFixed: [pull, start, ready, exit, flap, hang].every(({ isFixed }) => isFixed),
    draw: (random) => ({
      pullMillis: pull.draw(random),
      pullFailures,
      pullError,
      startMillis: start.draw(random),
      readyMillis: ready.draw(random),
      exit: exit.draw(random),
      flap: flap.draw(random),
      hangMillis: hang.draw(random),
      ...(terminateCode === undefined ? {} : { terminateCode })
    })
  }
}

const noValue = fixedDraw(undefined)

const compileExit = (exit: ExitBehaviour): Draw<ContainerExit> => {
  const after = compileDelay(exit.after)
  const { code, reason } = exitStatusOf(exit)
  const times = toCount(exit.times ?? "forever")
  return {
    isFixed: after.isFixed,
    draw: (random) => ({ afterMillis: after.draw(random), code, reason, times })
  }
}

const compileFlap = (flap: FlapBehaviour): Draw<ReadinessFlap> => {
  const ready = compileDelay(flap.ready)
  const unready = compileDelay(flap.unready)
  const times = toCount(flap.times ?? "forever")
  return {
    isFixed: ready.isFixed && unready.isFixed,
    draw: (random) => {
      const readyMillis = ready.draw(random)
      // Flapping without any delay would hold the virtual clock at one instant.
      const unreadyMillis = Math.max(unready.draw(random), readyMillis === 0 ? 1 : 0)
      return { readyMillis, unreadyMillis, times }
    }
  }
}

const toCount = (times: Times): number => (times === "forever" ? Infinity : times)

const drawOnceIfFixed = <Life extends object>(life: Draw<Life>): Draw<Life> =>
  life.isFixed ? fixedDraw(deepFreezeEveryPart(life.draw(unusedRandom))) : life

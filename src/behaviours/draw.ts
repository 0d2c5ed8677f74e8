import type { RandomGenerator } from "pure-rand/types/RandomGenerator"
import type { ContainerExit, ContainerLife, PodLife, ReadinessFlap } from "../domain/podLife.ts"
import type {
  Behaviour,
  ContainerBehaviour,
  ExitBehaviour,
  FlapBehaviour,
  PullBehaviour,
  Times
} from "./behaviour.ts"
import { exitStatusOf } from "./behaviour.ts"
import { instant, pullErrorDefault, steady } from "./builtIn.ts"
import { chanceOf } from "./chance.ts"
import { compileDelay, fixed, type Draw } from "./delays.ts"
import { freezeThoroughly } from "../domain/freeze.ts"

/**
 * Draws how one pod will live. The same behaviour, seed and uid always give the same life; a behaviour
 * without a distribution gives every pod one and the same frozen life.
 *
 * A behaviour is compiled at its first draw, so it must not be changed afterwards.
 */
export const drawLife = (behaviour: Behaviour, seed: number, podUid: string): PodLife => {
  const life = lifeOf(behaviour)
  return life.isFixed ? life.draw(noChance) : life.draw(chanceOf(seed, podUid))
}

/** What a fixed draw is given: it never asks. */
const noChance = chanceOf(0, "")

const lives = new WeakMap<Behaviour, Draw<PodLife>>()

const lifeOf = (behaviour: Behaviour): Draw<PodLife> => {
  const known = lives.get(behaviour)
  if (known !== undefined) return known
  const life = sharedWhenFixed(compileLife(behaviour))
  lives.set(behaviour, life)
  return life
}

const compileLife = (behaviour: Behaviour): Draw<PodLife> => {
  const mover = behaviour.mover ?? steady.mover
  // Whoever moves the pod decides about time as well; no delay may come in between.
  const origin = mover === "you" ? instant : steady
  const schedule = compileDelay(behaviour.schedule ?? origin.schedule)
  const terminate = compileDelay(behaviour.terminate ?? origin.terminate)
  const container = (own: ContainerBehaviour): Draw<ContainerLife> =>
    sharedWhenFixed(
      compileContainer({
        ...behaviour,
        ...own,
        pull: { ...steady.pull, ...origin.pull, ...behaviour.pull, ...own.pull },
        start: own.start ?? behaviour.start ?? origin.start,
        ready: own.ready ?? behaviour.ready ?? origin.ready
      })
    )
  const otherContainers = container({})
  // In order of name, so that the order of a file's fields changes nobody's life.
  const named = Object.entries(behaviour.containers ?? {})
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, own]) => ({ name, life: container(own) }))
  const drawContainers = named.length === 0 ? () => noContainers : drawEach(named)

  return {
    isFixed: [schedule, terminate, otherContainers, ...named.map(({ life }) => life)].every(
      ({ isFixed }) => isFixed
    ),
    draw: (chance) => ({
      mover,
      scheduleMillis: schedule.draw(chance),
      terminateMillis: terminate.draw(chance),
      otherContainers: otherContainers.draw(chance),
      containers: drawContainers(chance)
    })
  }
}

/** Without a prototype: a container may well be called `constructor`. */
const containersByName = (): Record<string, ContainerLife> => Object.create(null)

const noContainers: PodLife["containers"] = Object.freeze(containersByName())

const drawEach =
  (named: ReadonlyArray<{ readonly name: string; readonly life: Draw<ContainerLife> }>) =>
  (chance: RandomGenerator): PodLife["containers"] => {
    const containers = containersByName()
    for (const { name, life } of named) containers[name] = life.draw(chance)
    return containers
  }

/** A container behaviour in which everything that has a default is filled in. */
type WholeContainer = ContainerBehaviour &
  Required<Pick<ContainerBehaviour, "start" | "ready">> & {
    readonly pull: PullBehaviour & Required<Pick<PullBehaviour, "delay" | "failures">>
  }

const compileContainer = (whole: WholeContainer): Draw<ContainerLife> => {
  const pull = compileDelay(whole.pull.delay)
  const pullFailures = timesOf(whole.pull.failures)
  const pullError = whole.pull.error ?? pullErrorDefault
  const start = compileDelay(whole.start)
  const ready = compileDelay(whole.ready)
  const exit = whole.exit === undefined ? never : compileExit(whole.exit)
  const flap = whole.flap === undefined ? never : compileFlap(whole.flap)
  const hang = whole.hang === undefined ? never : compileDelay(whole.hang)
  return {
    isFixed: [pull, start, ready, exit, flap, hang].every(({ isFixed }) => isFixed),
    draw: (chance) => ({
      pullMillis: pull.draw(chance),
      pullFailures,
      pullError,
      startMillis: start.draw(chance),
      readyMillis: ready.draw(chance),
      exit: exit.draw(chance),
      flap: flap.draw(chance),
      hangMillis: hang.draw(chance)
    })
  }
}

const never = fixed(undefined)

const compileExit = (exit: ExitBehaviour): Draw<ContainerExit> => {
  const after = compileDelay(exit.after)
  const { code, reason } = exitStatusOf(exit)
  const times = timesOf(exit.times ?? "forever")
  return {
    isFixed: after.isFixed,
    draw: (chance) => ({ afterMillis: after.draw(chance), code, reason, times })
  }
}

const compileFlap = (flap: FlapBehaviour): Draw<ReadinessFlap> => {
  const ready = compileDelay(flap.ready)
  const unready = compileDelay(flap.unready)
  const times = timesOf(flap.times ?? "forever")
  return {
    isFixed: ready.isFixed && unready.isFixed,
    draw: (chance) => {
      const readyMillis = ready.draw(chance)
      // Readiness that came and went for ever in no time would hold the clock at one instant.
      const unreadyMillis = Math.max(unready.draw(chance), readyMillis === 0 ? 1 : 0)
      return { readyMillis, unreadyMillis, times }
    }
  }
}

const timesOf = (times: Times): number => (times === "forever" ? Infinity : times)

/** What does not hang on chance is made once and shared by all pods. */
const sharedWhenFixed = <Life extends object>(life: Draw<Life>): Draw<Life> =>
  life.isFixed ? fixed(freezeThoroughly(life.draw(noChance))) : life

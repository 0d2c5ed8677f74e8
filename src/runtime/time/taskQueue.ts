export interface TaskQueue<A> {
  readonly push: (task: A) => void
  readonly size: () => number
  /** `offset`: above 0 to shuffle; by default the first task is taken. */
  readonly take: (offset?: number) => A | undefined
  readonly clear: () => void
}

/** A queue without tasks keeps this many places for the next ones. */
const emptyPlacesMax = 1024

export const makeTaskQueue = <A>(): TaskQueue<A> => {
  let tasks: Array<A | undefined> = []
  let front = 0
  let end = 0
  const clear = (): void => {
    tasks = []
    front = 0
    end = 0
  }
  return {
    push: (task) => {
      tasks[end] = task
      end += 1
    },
    size: () => end - front,
    take: (offset = 0) => {
      if (front + offset >= end) return undefined
      const task = tasks[front + offset]
      tasks[front + offset] = tasks[front]
      tasks[front] = undefined
      front += 1
      if (front === end) {
        // Most queues hold one task at a time, and shortening the list would create a new one.
        if (end > emptyPlacesMax) tasks = []
        front = 0
        end = 0
      } else if (front > emptyPlacesMax && front > end - front) {
        tasks = tasks.slice(front, end)
        end -= front
        front = 0
      }
      return task
    },
    clear
  }
}

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Poll, Waker, ready};

use tokio::sync::Semaphore;
use tokio::task::coop::poll_proceed;

use super::commands::MatchCommand;
use crate::lock::lock;

/// Maximum number of queued commands.
const CAPACITY: usize = 64;

/// Sends commands to a match, in order, and waits while its queue is full. Clones share
/// the queue; once all are dropped, the match gets what is queued and then ends.
#[derive(Clone, Debug)]
pub(super) struct CommandSender(Arc<SendingEnd>);

/// A [`CommandSender`] that doesn't keep its match from ending.
#[derive(Clone, Debug)]
pub(super) struct WeakCommandSender(Weak<SendingEnd>);

/// The queue's other end, of the match.
#[derive(Debug)]
pub(super) struct CommandReceiver(Arc<Queue>);

/// What all senders share, to notice when the last one is dropped.
#[derive(Debug)]
struct SendingEnd(Arc<Queue>);

/// What both sides share. A channel has room for dozens of commands from the start, and
/// most matches wait for one.
#[derive(Debug)]
struct Queue {
    /// A permit for each further command. It is fair to those who wait.
    room: Semaphore,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    commands: VecDeque<MatchCommand>,
    /// Whether one of the sides is gone.
    is_closed: bool,
    /// The match, if it waits for a command.
    waiting: Option<Waker>,
}

/// The queue of a match that is about to start.
pub(super) fn command_queue() -> (CommandSender, CommandReceiver) {
    let queue = Arc::new(Queue {
        room: Semaphore::new(CAPACITY),
        state: Mutex::default(),
    });
    let sender = CommandSender(Arc::new(SendingEnd(Arc::clone(&queue))));
    (sender, CommandReceiver(queue))
}

impl CommandSender {
    /// Sends a command as soon as the queue has room. The error is the command, if the
    /// match has ended.
    pub(super) async fn send(&self, command: MatchCommand) -> Result<(), MatchCommand> {
        let SendingEnd(queue) = &*self.0;
        match queue.room.acquire().await {
            Ok(permit) => {
                permit.forget();
                queue.push(command)
            }
            Err(_closed) => Err(command),
        }
    }

    /// Sends a command if the queue has room. The error is the command.
    pub(super) fn try_send(&self, command: MatchCommand) -> Result<(), MatchCommand> {
        let SendingEnd(queue) = &*self.0;
        match queue.room.try_acquire() {
            Ok(permit) => {
                permit.forget();
                queue.push(command)
            }
            Err(_full) => Err(command),
        }
    }

    /// Whether both send to the same match, loaded once.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(super) fn downgrade(&self) -> WeakCommandSender {
        WeakCommandSender(Arc::downgrade(&self.0))
    }
}

impl WeakCommandSender {
    /// A sender, unless all are dropped.
    pub(super) fn upgrade(&self) -> Option<CommandSender> {
        self.0.upgrade().map(CommandSender)
    }
}

impl CommandReceiver {
    /// Waits for a command; `None` once all senders are dropped. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<MatchCommand> {
        let Self(queue) = self;
        poll_fn(|context| {
            // However much is sent, other tasks have their turn.
            let coop = ready!(poll_proceed(context));
            let mut state = lock(&queue.state);
            if let Some(command) = state.commands.pop_front() {
                drop(state);
                queue.room.add_permits(1);
                coop.made_progress();
                return Poll::Ready(Some(command));
            }
            if state.is_closed {
                return Poll::Ready(None);
            }
            state.waiting = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Closes the queue if it is empty, so that later commands are returned to their
    /// senders. Returns whether it is closed.
    pub(super) fn close_if_empty(&mut self) -> bool {
        let Self(queue) = self;
        let mut state = lock(&queue.state);
        if !state.commands.is_empty() {
            return false;
        }
        state.is_closed = true;
        drop(state);
        queue.room.close();
        true
    }
}

impl Drop for CommandReceiver {
    fn drop(&mut self) {
        let Self(queue) = self;
        let mut state = lock(&queue.state);
        state.is_closed = true;
        // Whoever waits for a reply to one of them learns that there is none.
        let unread = std::mem::take(&mut state.commands);
        drop(state);
        queue.room.close();
        drop(unread);
    }
}

impl Drop for SendingEnd {
    fn drop(&mut self) {
        let Self(queue) = self;
        let mut state = lock(&queue.state);
        state.is_closed = true;
        state.wake();
    }
}

impl Queue {
    fn push(&self, command: MatchCommand) -> Result<(), MatchCommand> {
        let mut state = lock(&self.state);
        if state.is_closed {
            return Err(command);
        }
        state.commands.push_back(command);
        state.wake();
        Ok(())
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            waiting.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::*;

    fn numbered(number: u64) -> MatchCommand {
        MatchCommand::Disconnect(number)
    }

    #[track_caller]
    fn check_next(receiver: &mut CommandReceiver, expected: Option<u64>) {
        let next = receiver
            .next()
            .now_or_never()
            .expect("a command or the end");
        let number = next.map(|command| match command {
            MatchCommand::Disconnect(number) => number,
            other => panic!("{other:?}"),
        });
        assert_eq!(number, expected);
    }

    #[tokio::test]
    async fn a_full_queue_lets_senders_wait_in_order() {
        let (sender, mut receiver) = command_queue();
        for number in 0..CAPACITY as u64 {
            sender.try_send(numbered(number)).expect("room");
        }
        assert!(sender.try_send(numbered(99)).is_err());
        let late: Vec<_> = (64..70)
            .map(|number| {
                let sender = sender.clone();
                tokio::spawn(async move { sender.send(numbered(number)).await.is_ok() })
            })
            .collect();
        yield_now().await;
        // A command that nobody waits for any more takes no room.
        late[1].abort();
        for number in (0..70).filter(|number| *number != 65) {
            check_next(&mut receiver, Some(number));
            yield_now().await;
        }
        assert!(receiver.next().now_or_never().is_none());
        for number in 0..CAPACITY as u64 {
            sender.try_send(numbered(number)).expect("all room again");
        }
    }

    #[tokio::test]
    async fn a_command_wakes_the_match() {
        let (sender, mut receiver) = command_queue();
        let received = tokio::spawn(async move { receiver.next().await.is_some() });
        yield_now().await;
        sender.send(numbered(1)).await.expect("room");
        assert!(received.await.expect("no panic"));
    }

    #[tokio::test]
    async fn a_match_without_senders_ends_after_what_is_queued() {
        let (sender, mut receiver) = command_queue();
        let weak = sender.downgrade();
        let other = weak.upgrade().expect("a sender");
        assert!(other.is_same(&sender) && !other.is_same(&command_queue().0));
        drop(sender);
        other.send(numbered(1)).await.expect("room");
        let ended = tokio::spawn(async move {
            check_next(&mut receiver, Some(1));
            receiver.next().await.is_none()
        });
        yield_now().await;
        drop(other);
        assert!(weak.upgrade().is_none());
        assert!(ended.await.expect("no panic"));
    }

    #[tokio::test]
    async fn commands_to_a_match_that_has_ended_are_returned() {
        let (sender, mut receiver) = command_queue();
        sender.send(numbered(1)).await.expect("room");
        assert!(!receiver.close_if_empty());
        check_next(&mut receiver, Some(1));
        assert!(receiver.close_if_empty());
        assert!(sender.try_send(numbered(2)).is_err());
        assert!(sender.send(numbered(3)).await.is_err());
        check_next(&mut receiver, None);
    }

    #[tokio::test]
    async fn a_match_that_ends_answers_nobody() {
        let (sender, receiver) = command_queue();
        for number in 1..CAPACITY as u64 {
            sender.try_send(numbered(number)).expect("room");
        }
        let (reply, result) = oneshot::channel();
        let asked = MatchCommand::GetStatus(reply);
        sender.send(asked).await.expect("room");
        let late = tokio::spawn(async move { sender.send(numbered(0)).await.is_err() });
        yield_now().await;
        drop(receiver);
        result.await.expect_err("no answer");
        assert!(late.await.expect("no panic"));
    }
}

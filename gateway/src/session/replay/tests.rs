//! Streams whose connections break, and what is kept of them.

use super::{
    log::{MAX_BYTES, MAX_SHARED},
    *,
};
use crate::{
    limits::Limits,
    session::{
        Outlet, Peer,
        store::{END, Progress},
    },
};
use mcp_disclosure_transport::{Id, Json, Notification, Response};

fn outlet() -> (Outlet, Frames) {
    Outlet::new(&Peer::new("test", &Limits::default()), &Limits::default())
}

fn notification(text: &'static str) -> Notification {
    Notification::new(text, mcp_disclosure_core::RawObject::empty())
}

fn ids(events: &[StreamEvent]) -> Vec<&str> {
    events.iter().filter_map(|event| event.id.as_deref()).collect()
}

#[tokio::test]
async fn what_an_open_stream_of_notifications_did_not_send_is_sent_on_its_successor() {
    let buffers = ReplayBuffers::new(1 << 20, Budget::new(1 << 20));
    let (outlet, frames) = outlet();
    let buffer = buffers.open(Purpose::News, frames);
    let turn = buffer.take_turn();
    buffer.first_event();
    outlet.notify(&notification("sent"));
    buffer.next(&turn).await.unwrap();
    // Its connection is not read any more.
    outlet.notify(&notification("stuck"));
    let (former, last) = buffers.find("1-1").unwrap();
    let missed = former.end_after(last);
    assert_eq!(ids(&missed), ["1-2"]);
    assert_eq!(missed[0].data.whole(), notification("stuck").encode());
    assert!(buffer.next(&turn).await.is_none() && buffer.is_over());
    assert!(!outlet.notify(&notification("late")), "nothing is lost in it from now on");
    assert_eq!(ids(&buffers.find("1-1").unwrap().0.after(1)), ["1-2"], "it can be asked for again");
}

#[tokio::test]
async fn a_connection_that_waits_stops_when_another_takes_over() {
    let buffers = ReplayBuffers::new(1 << 20, Budget::new(1 << 20));
    let (outlet, frames) = outlet();
    let buffer = buffers.open(Purpose::Answer, frames);
    let turn = buffer.take_turn();
    let waiting = buffer.next(&turn);
    tokio::pin!(waiting);
    assert!(futures::poll!(waiting.as_mut()).is_pending());
    // It need not be polled before the other one can read.
    let again = buffer.take_turn();
    outlet.notify(&notification("one"));
    assert_eq!(buffer.next(&again).await.unwrap().0.id.as_deref(), Some("1-0"));
    assert!(waiting.await.is_none());
}

#[tokio::test]
async fn a_response_that_was_not_sent_is_kept_as_unread_bytes() {
    let buffers = ReplayBuffers::new(100, Budget::new(1000));
    let peer = Peer::new("test", &Limits::default());
    let mut broken = Vec::new();
    for number in 0..3 * MAX_ENDED as u64 {
        let (outlet, frames) = Outlet::new(&peer, &Limits::default());
        let buffer = buffers.open(Purpose::Answer, frames);
        let turn = buffer.take_turn();
        outlet.notify(&notification("before"));
        outlet.answer(&Response::new(Id::number(number), Ok(Json::empty_object()))).await;
        while !buffer.has_ended() {
            buffer.keep_next(&turn).await.unwrap();
        }
        broken.push((buffer, turn));
    }
    assert_eq!(buffers.state.lock().buffers.len(), broken.len(), "none of them was sent");
    let unread = peer.unread_bytes();
    assert!(unread > 0 && buffers.kept[0].used() <= 100, "other messages are kept within the budget");
    let mut turns = Vec::new();
    for (number, (buffer, _)) in broken.iter().enumerate() {
        let (turn, missed) = buffers.find(&buffer.id(0)).unwrap().0.take_turn_after(0);
        turns.push(turn);
        let expected = Response::new(Id::number(number as u64), Ok(Json::empty_object())).encode();
        assert_eq!(missed.last().unwrap().data.whole(), expected);
    }
    assert_eq!(peer.unread_bytes(), unread, "it may not arrive");
    broken.iter().for_each(|(buffer, turn)| buffer.sent(turn));
    assert_eq!(peer.unread_bytes(), unread, "a connection that was replaced sent nothing");
    for (number, (buffer, _)) in broken.iter().enumerate() {
        // By a connection here, or at another replica.
        match number % 2 {
            0 => buffer.sent(&turns[number]),
            _ => buffer.moved(Progress::Ended).await,
        }
    }
    assert_eq!(peer.unread_bytes(), 0);
    assert!(buffers.kept[0].used() <= 100, "from now on, they are kept within the budget");
    let (_outlet, frames) = outlet();
    buffers.open(Purpose::Answer, frames);
    assert_eq!(buffers.state.lock().buffers.len(), MAX_ENDED + 1);
}

#[tokio::test]
async fn what_is_kept_is_bounded() {
    let buffers = ReplayBuffers::new(4 * MAX_BYTES, Budget::new(4 * MAX_BYTES));
    let (_outlet, frames) = outlet();
    let long = buffers.open(Purpose::Answer, frames);
    for _ in 0..10 {
        long.event(Frame::Message(vec![b'x'; MAX_BYTES / 3].into()));
    }
    assert!(long.log.lock().bytes <= MAX_BYTES);
    for _ in 0..3 * MAX_ENDED {
        let (_outlet, frames) = outlet();
        buffers.open(Purpose::Answer, frames).event(Frame::Answer(vec![b'x'; 2 * MAX_BYTES].into(), None));
    }
    let kept = buffers.state.lock();
    assert!(kept.buffers.len() <= MAX_ENDED + 2);
    assert!(kept.buffers.iter().all(|buffer| buffer.log.lock().bytes <= MAX_BYTES));
}

#[tokio::test]
async fn p8_streams_that_broke_before_their_responses_are_bounded() {
    let buffers = ReplayBuffers::new(1 << 20, Budget::new(1 << 20));
    for number in 0..MAX_UNSENT as u64 + 100 {
        let (outlet, frames) = outlet();
        let buffer = buffers.open(Purpose::Answer, frames);
        buffer.disconnect(&buffer.take_turn());
        outlet.answer(&Response::new(Id::number(number), Ok(Json::empty_object()))).await;
    }
    assert_eq!(
        buffers.state.lock().buffers.len(),
        MAX_UNSENT + 1,
        "the last one was open when it was counted"
    );
    assert!(buffers.numbered(1).is_none() && buffers.numbered(102).is_some(), "the oldest go");
}

#[tokio::test]
async fn k1_an_event_that_is_too_long_is_not_written_for_other_replicas() {
    let (most, peer) = (4 * MAX_SHARED, Budget::new(4 * MAX_SHARED));
    let buffers = ReplayBuffers::new(most, peer);
    let (_outlet, frames) = outlet();
    let stream = buffers.open(Purpose::Answer, frames);
    stream.event(Frame::Message(vec![b'x'; 9].into()));
    stream.event(Frame::Message(vec![b'x'; MAX_SHARED + 1].into()));
    stream.event(Frame::Message(vec![b'x'; 8].into()));
    let written = || {
        let changes = stream.log.lock().changes();
        changes.into_iter().filter(|(_, value)| value.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(written(), [(b"2".to_vec(), Some(vec![b'x'; 8]))], "it made the first one go");
    stream.event(Frame::Answer(Text::Small(vec![b'x'; MAX_SHARED + 1].into()), None));
    assert_eq!(written(), [(END.to_vec(), Some(b"3".to_vec()))], "its number says that it is missing");
}

#[tokio::test]
async fn what_a_session_keeps_is_bounded_and_what_goes_gives_room() {
    let buffers = ReplayBuffers::new(1000, Budget::new(5000));
    let open = || {
        let (outlet, frames) = outlet();
        (outlet, buffers.open(Purpose::News, frames))
    };
    let (first, second) = (open(), open());
    first.1.event(Frame::Message(vec![b'x'; 900].into()));
    let lost = second.1.event(Frame::Message(vec![b'x'; 900].into()));
    assert!(lost.id.is_some(), "it is sent, whether it is kept or not");
    assert_eq!((first.1.log.lock().bytes, second.1.log.lock().bytes), (900, 0));
    first.1.event(Frame::Message(vec![b'x'; 950].into()));
    assert_eq!(first.1.log.lock().bytes, 950, "its own older ones make room");
    drop(first);
    buffers.state.lock().buffers.clear();
    second.1.event(Frame::Message(vec![b'x'; 900].into()));
    assert_eq!(second.1.log.lock().bytes, 900);
}
